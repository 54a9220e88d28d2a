# SPDX-License-Identifier: Apache-2.0
"""Where TensorFlow's programs import messages from: `leat.core.framework.graph_pb2` and the like.

The modules are made when they are imported, from the table below (a file's path, its package when
that is not tensorflow, its types), and hold nothing until asked. install() makes them importable.
"""
import importlib.machinery
import sys
import types

_TABLE = '''
contrib/session_bundle/manifest tensorflow.serving: Signatures TensorBinding AssetFile Signature
    RegressionSignature ClassificationSignature GenericSignature
contrib/tensorboard/plugins/projector/projector_config: SpriteMetadata EmbeddingInfo
    ProjectorConfig
contrib/training/python/training/hparam: HParamDef
core/example/example_parser_configuration: VarLenFeatureProto FixedLenFeatureProto
    FeatureConfiguration ExampleParserConfiguration
core/example/example: Example SequenceExample
core/example/feature: BytesList FloatList Int64List Feature Features FeatureList FeatureLists
core/framework/allocation_description: AllocationDescription
core/framework/api_def: ApiDef ApiDefs
core/framework/attr_value: AttrValue NameAttrList
core/framework/cost_graph: CostGraphDef
core/framework/device_attributes: InterconnectLink LocalLinks DeviceLocality DeviceAttributes
core/framework/function: FunctionDefLibrary FunctionDef GradientDef
core/framework/graph: GraphDef
core/framework/kernel_def: KernelDef KernelList
core/framework/log_memory: MemoryLogStep MemoryLogTensorAllocation MemoryLogTensorDeallocation
    MemoryLogTensorOutput MemoryLogRawAllocation MemoryLogRawDeallocation
core/framework/node_def: NodeDef
core/framework/op_def: OpDef OpDeprecation OpList
core/framework/reader_base: ReaderBaseState
core/framework/remote_fused_graph_execute_info: RemoteFusedGraphExecuteInfo
core/framework/resource_handle: ResourceHandleProto
core/framework/step_stats: AllocationRecord AllocatorMemoryUsed NodeOutput MemoryStats
    NodeExecStats DeviceStepStats StepStats
core/framework/summary: SummaryDescription HistogramProto SummaryMetadata Summary
core/framework/tensor_description: TensorDescription
core/framework/tensor: TensorProto VariantTensorDataProto
core/framework/tensor_shape: TensorShapeProto
core/framework/tensor_slice: TensorSliceProto
core/framework/types: DataType
core/framework/variable: VariableDef SaveSliceInfoDef VariableSynchronization VariableAggregation
core/framework/versions: VersionDef
core/grappler/costs/op_performance_data: SessionInfo OpInfo NormalDistribution
    LogNormalDistribution OpPerformance OpPerformanceList
core/kernels/boosted_trees/boosted_trees tensorflow.boosted_trees: Node NodeMetadata Leaf Vector
    SparseVector BucketizedSplit CategoricalSplit DenseSplit Tree TreeMetadata GrowingMetadata
    TreeEnsemble DebugOutput SplitTypeWithDefault DefaultDirection
core/lib/core/error_codes tensorflow.error: Code
core/profiler/tfprof_log tensorflow.tfprof: CodeDef OpLogEntry OpLogProto ProfileProto ProfileNode
    ExecProfile ExecTime ExecMemory Tuple Memory
core/profiler/tfprof_options tensorflow.tfprof: OptionsProto AdvisorOptionsProto
core/profiler/tfprof_output tensorflow.tfprof: TFProfTensorProto GraphNodeProto
    MultiGraphNodeProto AdviceProto
core/protobuf/cluster: JobDef ClusterDef
core/protobuf/config: GPUOptions OptimizerOptions GraphOptions ThreadPoolOptionProto RPCOptions
    SessionMetadata ConfigProto RunOptions RunMetadata TensorConnection CallableOptions
core/protobuf/control_flow: ValuesDef ControlFlowContextDef CondContextDef WhileContextDef
core/protobuf/debug: DebugTensorWatch DebugOptions DebuggedSourceFile DebuggedSourceFiles
core/protobuf/device_properties: DeviceProperties NamedDevice
core/protobuf/graph_debug_info: GraphDebugInfo
core/protobuf/meta_graph: MetaGraphDef CollectionDef TensorInfo SignatureDef AssetFileDef
core/protobuf/named_tensor: NamedTensorProto
core/protobuf/queue_runner: QueueRunnerDef
core/protobuf/rewriter_config: AutoParallelOptions ScopedAllocatorOptions RewriterConfig
core/protobuf/saved_model: SavedModel
core/protobuf/saved_object_graph: SavedObjectGraph SavedObject SavedUserObject SavedAsset
    SavedFunction SavedConcreteFunction SavedBareConcreteFunction SavedConstant SavedVariable
    FunctionSpec SavedResource
core/protobuf/saver: SaverDef
core/protobuf/struct: StructuredValue NoneValue ListValue TupleValue DictValue PairValue
    NamedTupleValue TensorSpecProto TypeSpecProto
core/protobuf/tensor_bundle: BundleHeaderProto BundleEntryProto
core/protobuf/tensorflow_server: ServerDef
core/protobuf/trackable_object_graph: TrackableObjectGraph
core/protobuf/transport_options: RecvBufRespExtra
core/protobuf/verifier_config: VerifierConfig
core/util/event: Event LogMessage SessionLog TaggedRunMetadata WatchdogConfig
    WorkerHeartbeatRequest WorkerHeartbeatResponse WorkerHealth WorkerShutdownMode
core/util/memmapped_file_system: MemmappedFileSystemDirectoryElement MemmappedFileSystemDirectory
core/util/saved_tensor_slice: SavedSliceMeta SavedTensorSliceMeta SavedSlice SavedTensorSlices
core/util/test_log: EntryValue MetricEntry BenchmarkEntry BenchmarkEntries BuildConfiguration
    CommitId CPUInfo MemoryInfo GPUInfo PlatformInfo AvailableDeviceInfo MachineConfiguration
    RunConfiguration TestResults
python/framework/cpp_shape_inference: CppShapeInferenceResult CppShapeInferenceInputsNeeded
python/training/checkpoint_state: CheckpointState
'''
_PACKAGES = ('core.framework', 'core.protobuf', 'core.util', 'core.example', 'core.debug',
             'core.profiler', 'core.lib', 'core.lib.core', 'core.kernels',
             'core.kernels.boosted_trees', 'core.grappler', 'core.grappler.costs')
_PREFIX = 'leat.'

_files, _places = {}, {}


def _load():
    """_files: {'core.framework.graph_pb2': (path, package, names)}, _places: {name: module}."""
    if _files:
        return
    path = package = None
    for line in _TABLE.strip().splitlines():
        if not line.startswith(' '):
            head, _, line = line.partition(':')
            path, _, package = head.partition(' ')
            package = package or 'tensorflow'
        module = path.replace('/', '.') + '_pb2'
        names = line.split()
        _files.setdefault(module, (path, package, []))[2].extend(names)
        _places.update(('%s.%s' % (package, n), module) for n in names)


def _outermost(full_name):
    """The name, among those of the table, that full_name is or lies in; or None."""
    _load()
    while full_name and full_name not in _places:
        full_name = full_name.rpartition('.')[0]
    return full_name


def module_of(full_name):
    """The module in which programs find a message."""
    outer = _outermost(full_name)
    return _PREFIX + _places[outer] if outer else 'leat._message'


def qualname_of(full_name):
    """Its name there."""
    outer = _outermost(full_name)
    if not outer:
        return full_name.rpartition('.')[2]
    return full_name[len(outer.rpartition('.')[0]) + 1:]


def file_of(full_name):
    """The name of its .proto file."""
    outer = _outermost(full_name)
    if outer:
        return 'tensorflow/%s.proto' % _files[_places[outer]][0]
    return full_name.rpartition('.')[0].replace('.', '/') + '.proto'


class ProtoModule(types.ModuleType):
    """A module of messages."""

    def __getattr__(self, name):
        value = _find(self.__name__[len(_PREFIX):], name)
        if value is None:
            raise AttributeError('module %r has no attribute %r' % (self.__name__, name))
        setattr(self, name, value)
        return value

    def __dir__(self):
        return sorted(set(super().__dir__()) | set(_files[self.__name__[len(_PREFIX):]][2]))


def _find(module, name):
    from leat import _descriptor, _message
    path, package, names = _files[module]
    full = '%s.%s' % (package, name)
    if name == 'DESCRIPTOR':
        return _descriptor.FileDescriptor(package, 'tensorflow/%s.proto' % path)
    enums = _descriptor.tables()[1]
    if name in names:
        if full in enums:
            return _descriptor.EnumTypeWrapper(_descriptor.enum(full))
        return _message.message_class(full)
    for other in names:
        other_full = '%s.%s' % (package, other)
        if name == '_' + other.upper():
            return _descriptor.enum(other_full) if other_full in enums else (
                _descriptor.message(other_full))
        if other_full in enums:
            value = _descriptor.enum(other_full).values_by_name.get(name)
            if value is not None:
                return value.number
    return None


class _Finder:
    """Makes the modules of the table, and packages around them that have no folder of their own."""

    def find_spec(self, fullname, path=None, target=None):
        if not fullname.startswith(_PREFIX):
            return None
        name = fullname[len(_PREFIX):]
        if name in _PACKAGES:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        if not name.endswith('_pb2'):
            return None
        _load()
        return importlib.machinery.ModuleSpec(fullname, self) if name in _files else None

    def create_module(self, spec):
        return ProtoModule(spec.name) if spec.name.endswith('_pb2') else None

    def exec_module(self, module):
        """Nothing runs: names are found when they are asked for."""


def fill(module_name):
    """Makes a module that lies in a file one of messages."""
    _load()
    sys.modules[module_name].__class__ = ProtoModule


def install():
    """Makes the modules importable; once a process, however often it is called."""
    if not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.append(_Finder())
