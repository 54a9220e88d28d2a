# SPDX-License-Identifier: Apache-2.0
"""The public names of tf, and where each lives; pre-1.0 names are rows like others.

Read by leat/_namespaces.py, a namespace at a time. A line is a module below leat.python (or,
after a /, below leat) and the names that it gives: `public`, or `public=name in the module`. Rows
whose module is not written yet say so when they are asked for.
"""
ROWS = {
    '': '''
/core.framework.attr_value_pb2: AttrValue NameAttrList
/core.framework.graph_pb2: GraphDef
/core.framework.node_def_pb2: NodeDef
/core.framework.summary_pb2: HistogramProto Summary SummaryMetadata
/core.protobuf.config_pb2: ConfigProto GPUOptions GraphOptions OptimizerOptions RunMetadata
  RunOptions
/core.protobuf.meta_graph_pb2: MetaGraphDef TensorInfo
/core.util.event_pb2: Event LogMessage SessionLog
client.session: InteractiveSession Session
compat.v2_compat: disable_v2_behavior enable_v2_behavior
data.ops.optional_ops: OptionalSpec
eager.backprop: GradientTape
eager.context: executing_eagerly
eager.def_function: function
eager.wrap_function: wrap_function
framework.constant_op: constant=constant_v1
framework.device_spec: DeviceSpec=DeviceSpecV1
framework.dtypes: DType QUANTIZED_DTYPES as_dtype bfloat16 bool complex128 complex64 double
  float16 float32 float64 half int16 int32 int64 int8 qint16 qint32 qint8 quint16 quint8 resource
  string uint16 uint32 uint64 uint8 variant
framework.errors_impl: OpError
framework.importer: import_graph_def
framework.indexed_slices: IndexedSlices IndexedSlicesSpec convert_to_tensor_or_indexed_slices
framework.load_library: load_file_system_library load_library load_op_library
framework.ops: Graph GraphKeys NoGradient=no_gradient NotDifferentiable=no_gradient Operation
  RegisterGradient Tensor add_to_collection add_to_collections colocate_with=_colocate_with
  container control_dependencies convert_to_tensor device disable_eager_execution
  disable_tensor_equality enable_eager_execution enable_tensor_equality get_collection
  get_collection_ref get_default_graph get_default_session init_scope name_scope no_gradient
  op_scope reset_default_graph
framework.random_seed: get_seed set_random_seed
framework.sparse_tensor: SparseTensor SparseTensorSpec SparseTensorValue
  convert_to_tensor_or_sparse_tensor
framework.tensor_conversion_registry: register_tensor_conversion_function
framework.tensor_shape: Dimension TensorShape dimension_at_index dimension_value
  disable_v2_tensorshape enable_v2_tensorshape
framework.tensor_spec: TensorSpec
framework.tensor_util: get_static_value=constant_value is_tensor make_ndarray=MakeNdarray
  make_tensor_proto
framework.type_spec: TypeSpec
framework.versions: COMPILER_VERSION CXX11_ABI_FLAG GIT_VERSION GRAPH_DEF_VERSION
  GRAPH_DEF_VERSION_MIN_CONSUMER GRAPH_DEF_VERSION_MIN_PRODUCER MONOLITHIC_BUILD VERSION
  __compiler_version__=COMPILER_VERSION __cxx11_abi_flag__=CXX11_ABI_FLAG
  __git_version__=GIT_VERSION __monolithic_build__=MONOLITHIC_BUILD __version__=VERSION
module.module: Module
ops.array_ops: batch_gather batch_matrix_diag=matrix_diag batch_matrix_diag_part=matrix_diag_part
  batch_matrix_set_diag=matrix_set_diag batch_matrix_transpose=matrix_transpose batch_to_space
  boolean_mask broadcast_dynamic_shape broadcast_static_shape concat depth_to_space edit_distance
  expand_dims extract_image_patches fill fingerprint gather gather_nd identity listdiff=setdiff1d
  matrix_diag matrix_diag_part matrix_set_diag matrix_transpose meshgrid newaxis one_hot ones
  ones_like pack=stack pad parallel_stack placeholder placeholder_with_default quantize
  quantize_v2 rank repeat required_space_to_batch_paddings reshape reverse_sequence searchsorted
  sequence_mask setdiff1d shape shape_n size slice space_to_batch space_to_depth sparse_mask
  sparse_placeholder split squeeze stack strided_slice transpose unique unique_with_counts
  unpack=unstack unstack where where_v2 zeros zeros_like
ops.batch_ops: nondifferentiable_batch_function=batch_function
ops.check_ops: assert_equal assert_greater assert_greater_equal assert_integer assert_less
  assert_less_equal assert_near assert_negative assert_non_negative assert_non_positive
  assert_none_equal assert_positive assert_proper_iterable assert_rank assert_rank_at_least
  assert_rank_in assert_same_float_dtype assert_scalar assert_type ensure_shape is_non_decreasing
  is_numeric_tensor is_strictly_increasing
ops.clip_ops: clip_by_average_norm clip_by_global_norm clip_by_norm clip_by_value global_norm
ops.confusion_matrix: confusion_matrix=confusion_matrix_v1
ops.control_flow_ops: Assert case cond group switch_case tuple while_loop
ops.control_flow_v2_toggles: control_flow_v2_enabled disable_control_flow_v2
  enable_control_flow_v2
ops.critical_section_ops: CriticalSection
ops.custom_gradient: custom_gradient grad_pass_through recompute_grad
ops.data_flow_ops: ConditionalAccumulator ConditionalAccumulatorBase FIFOQueue PaddingFIFOQueue
  PriorityQueue QueueBase RandomShuffleQueue SparseConditionalAccumulator
ops.functional_ops: foldl foldr scan
ops.gen_array_ops: batch_to_space_nd bitcast broadcast_to check_numerics dequantize diag diag_part
  extract_volume_patches fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient
  fake_quant_with_min_max_vars fake_quant_with_min_max_vars_gradient
  fake_quant_with_min_max_vars_per_channel fake_quant_with_min_max_vars_per_channel_gradient
  guarantee_const identity_n invert_permutation matrix_band_part quantized_concat
  reverse=reverse_v2 reverse_v2 scatter_nd space_to_batch_nd stop_gradient tensor_scatter_add
  tensor_scatter_nd_add=tensor_scatter_add tensor_scatter_nd_sub=tensor_scatter_sub
  tensor_scatter_nd_update=tensor_scatter_update tensor_scatter_sub tensor_scatter_update tile
  unravel_index
ops.gen_control_flow_ops: no_op
ops.gen_data_flow_ops: dynamic_partition dynamic_stitch
ops.gen_io_ops: matching_files read_file write_file
ops.gen_linalg_ops: cholesky matrix_determinant matrix_inverse matrix_solve matrix_square_root
  matrix_triangular_solve qr
ops.gen_logging_ops: timestamp
ops.gen_math_ops: acos acosh add arg_max arg_min asin asinh atan atan2 atanh betainc ceil cos cosh
  cross digamma erf erfc exp expm1 floor floor_div floormod=floor_mod greater greater_equal igamma
  igammac is_finite is_inf is_nan less less_equal lgamma lin_space linspace=lin_space log log1p
  logical_and logical_not logical_or maximum minimum mod=floor_mod negative=neg polygamma
  realdiv=real_div reciprocal rint rsqrt segment_max segment_mean segment_min segment_prod
  segment_sum select sign sin sinh sparse_matmul=sparse_mat_mul sqrt square squared_difference tan
  tanh truncatediv=truncate_div truncatemod=truncate_mod unsorted_segment_max unsorted_segment_min
  unsorted_segment_prod unsorted_segment_sum zeta
ops.gen_parsing_ops: decode_compressed decode_json_example parse_tensor serialize_tensor
ops.gen_spectral_ops: fft fft2d fft3d ifft ifft2d ifft3d
ops.gen_string_ops: as_string decode_base64 encode_base64 string_join string_strip
  string_to_hash_bucket_fast string_to_hash_bucket_strong
ops.gradients_impl: gradients hessians
ops.gradients_util: AggregationMethod
ops.histogram_ops: histogram_fixed_width histogram_fixed_width_bins
ops.init_ops: constant_initializer=Constant glorot_normal_initializer=GlorotNormal
  glorot_uniform_initializer=GlorotUniform ones_initializer=Ones orthogonal_initializer=Orthogonal
  random_normal_initializer=RandomNormal random_uniform_initializer=RandomUniform
  truncated_normal_initializer=TruncatedNormal uniform_unit_scaling_initializer=UniformUnitScaling
  variance_scaling_initializer=VarianceScaling zeros_initializer=Zeros
ops.io_ops: FixedLengthRecordReader IdentityReader LMDBReader ReaderBase TFRecordReader
  TextLineReader WholeFileReader
ops.linalg_ops: cholesky_solve eye matrix_solve_ls norm self_adjoint_eig self_adjoint_eigvals svd
ops.logging_ops: Print audio_summary histogram_summary image_summary print=print_v2 scalar_summary
ops.lookup_ops: initialize_all_tables tables_initializer
ops.manip_ops: roll
ops.map_fn: map_fn
ops.math_ops: abs accumulate_n add_n angle argmax argmin batch_matmul=matmul bincount=bincount_v1
  cast complex complex_abs=abs conj count_nonzero cumprod cumsum div div_no_nan divide equal
  floordiv imag inv=reciprocal log_sigmoid logical_xor matmul mul=multiply multiply neg=negative
  not_equal pow range real reduce_all=reduce_all_v1 reduce_any=reduce_any_v1
  reduce_logsumexp=reduce_logsumexp_v1 reduce_max=reduce_max_v1 reduce_mean=reduce_mean_v1
  reduce_min=reduce_min_v1 reduce_prod=reduce_prod_v1 reduce_sum=reduce_sum_v1 round saturate_cast
  scalar_mul sigmoid sparse_segment_mean sparse_segment_sqrt_n sparse_segment_sum sub=subtract
  subtract tensordot to_bfloat16 to_complex128 to_complex64 to_double to_float to_int32 to_int64
  trace truediv unsorted_segment_mean unsorted_segment_sqrt_n
ops.numerics: add_check_numerics_ops verify_tensor_all_finite
ops.parallel_for.control_flow_ops: vectorized_map
ops.parsing_ops: FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature decode_csv
  decode_raw=decode_raw_v1 parse_example parse_single_example parse_single_sequence_example
ops.partitioned_variables: create_partitioned_variables fixed_size_partitioner
  min_max_variable_partitioner variable_axis_size_partitioner
ops.ragged.ragged_string_ops: string_split
ops.ragged.ragged_tensor: RaggedTensor RaggedTensorSpec
ops.random_ops: multinomial random_crop random_gamma random_normal random_poisson random_shuffle
  random_uniform truncated_normal
ops.script_ops: numpy_function py_func py_function=eager_py_func
ops.session_ops: delete_session_tensor get_session_handle get_session_tensor
ops.sort_ops: argsort sort
ops.sparse_ops: deserialize_many_sparse serialize_many_sparse serialize_sparse sparse_add
  sparse_concat sparse_fill_empty_rows sparse_maximum sparse_merge sparse_minimum
  sparse_reduce_max sparse_reduce_max_sparse sparse_reduce_sum sparse_reduce_sum_sparse
  sparse_reorder sparse_reset_shape sparse_reshape sparse_retain sparse_slice sparse_softmax
  sparse_split sparse_tensor_dense_matmul sparse_tensor_to_dense sparse_to_dense
  sparse_to_indicator sparse_transpose
ops.special_math_ops: einsum lbeta
ops.state_ops: assign assign_add assign_sub batch_scatter_update count_up_to scatter_add
  scatter_div scatter_max scatter_min scatter_mul scatter_nd_add scatter_nd_sub scatter_nd_update
  scatter_sub scatter_update
ops.string_ops: reduce_join regex_replace string_to_hash_bucket=string_to_hash_bucket_v1
  string_to_number=string_to_number_v1 substr=substr_deprecated
ops.template: make_template
ops.tensor_array_ops: TensorArray TensorArraySpec
ops.unconnected_gradients: UnconnectedGradients
ops.variable_scope: AUTO_REUSE VariableScope disable_resource_variables enable_resource_variables
  get_local_variable get_variable get_variable_scope no_regularizer resource_variables_enabled
  variable_creator_scope=variable_creator_scope_v1 variable_op_scope variable_scope
ops.variables: Variable=VariableV1 VariableAggregation VariableSynchronization all_variables
  assert_variables_initialized global_variables global_variables_initializer
  initialize_all_variables initialize_local_variables initialize_variables is_variable_initialized
  local_variables local_variables_initializer model_variables moving_average_variables
  report_uninitialized_variables trainable_variables variables_initializer
platform.tf_logging: get_logger
summary.summary: merge_all_summaries=merge_all merge_summary=merge
''',
    'app': '''
platform.app: run
''',
    'audio': '''
ops.gen_audio_ops: decode_wav encode_wav
''',
    'autograph': '''
autograph.impl.api: to_code=to_code_v1 to_graph=to_graph_v1
autograph.utils.ag_logging: set_verbosity trace
''',
    'autograph.experimental': '''
autograph.core.converter: Feature
autograph.impl.api: do_not_convert
autograph.lang.directives: set_loop_options
''',
    'bitwise': '''
ops.gen_bitwise_ops: bitwise_and bitwise_or bitwise_xor invert left_shift right_shift
''',
    'compat': '''
compat.compat: forward_compatibility_horizon forward_compatible
framework.tensor_shape: dimension_at_index dimension_value
util.compat: as_bytes as_str=as_text as_str_any as_text bytes_or_text_types complex_types
  integral_types path_to_str real_types
''',
    'config': '''
eager.context: experimental_list_devices=list_devices
eager.def_function: experimental_run_functions_eagerly=run_functions_eagerly
eager.remote: experimental_connect_to_cluster=connect_to_cluster
  experimental_connect_to_host=connect_to_remote_host
framework.config: get_soft_device_placement set_soft_device_placement
''',
    'config.experimental': '''
eager.context: VirtualDeviceConfiguration
framework.config: get_device_policy get_memory_growth get_synchronous_execution
  get_virtual_device_configuration get_visible_devices list_logical_devices list_physical_devices
  set_device_policy set_memory_growth set_synchronous_execution set_virtual_device_configuration
  set_visible_devices
''',
    'config.optimizer': '''
framework.config: get_experimental_options=get_optimizer_experimental_options
  get_jit=get_optimizer_jit set_experimental_options=set_optimizer_experimental_options
  set_jit=set_optimizer_jit
''',
    'config.threading': '''
framework.config: get_inter_op_parallelism_threads get_intra_op_parallelism_threads
  set_inter_op_parallelism_threads set_intra_op_parallelism_threads
''',
    'data': '''
data.ops.dataset_ops: Dataset=DatasetV1 DatasetSpec Options
  get_output_classes=get_legacy_output_classes get_output_shapes=get_legacy_output_shapes
  get_output_types=get_legacy_output_types make_initializable_iterator make_one_shot_iterator
data.ops.iterator_ops: Iterator
data.ops.readers: FixedLengthRecordDataset=FixedLengthRecordDatasetV1
  TFRecordDataset=TFRecordDatasetV1 TextLineDataset=TextLineDatasetV1
''',
    'data.experimental': '''
data.experimental.ops.batching: dense_to_sparse_batch map_and_batch
  map_and_batch_with_legacy_function unbatch
data.experimental.ops.cardinality: INFINITE_CARDINALITY=INFINITE UNKNOWN_CARDINALITY=UNKNOWN
  cardinality
data.experimental.ops.counter: Counter=CounterV1
data.experimental.ops.distribute_options: DistributeOptions
data.experimental.ops.enumerate_ops: enumerate_dataset
data.experimental.ops.error_ops: ignore_errors
data.experimental.ops.get_single_element: get_single_element
data.experimental.ops.grouping: Reducer bucket_by_sequence_length group_by_reducer group_by_window
data.experimental.ops.interleave_ops: choose_from_datasets=choose_from_datasets_v1
  parallel_interleave sample_from_datasets=sample_from_datasets_v1
data.experimental.ops.iterator_ops: CheckpointInputPipelineHook make_saveable_from_iterator
data.experimental.ops.optimization_options: MapVectorizationOptions OptimizationOptions
data.experimental.ops.parsing_ops: parse_example_dataset
data.experimental.ops.prefetching_ops: copy_to_device prefetch_to_device
data.experimental.ops.random_ops: RandomDataset=RandomDatasetV1
data.experimental.ops.readers: CsvDataset=CsvDatasetV1 SqlDataset=SqlDatasetV1
  make_batched_features_dataset=make_batched_features_dataset_v1
  make_csv_dataset=make_csv_dataset_v1
data.experimental.ops.resampling: rejection_resample
data.experimental.ops.scan_ops: scan
data.experimental.ops.shuffle_ops: shuffle_and_repeat
data.experimental.ops.stats_aggregator: StatsAggregator=StatsAggregatorV1
data.experimental.ops.stats_ops: bytes_produced_stats latency_stats
data.experimental.ops.stats_options: StatsOptions
data.experimental.ops.take_while_ops: take_while
data.experimental.ops.threading_options: ThreadingOptions
data.experimental.ops.unique: unique
data.experimental.ops.writers: TFRecordWriter
data.ops.dataset_ops: AUTOTUNE DatasetStructure=DatasetSpec from_variant get_structure to_variant
data.ops.iterator_ops: get_next_as_optional
data.ops.optional_ops: Optional OptionalStructure=OptionalSpec
data.util.structure: RaggedTensorStructure=_RaggedTensorStructure
  SparseTensorStructure=_SparseTensorStructure TensorArrayStructure=_TensorArrayStructure
  TensorStructure=_TensorStructure
framework.type_spec: Structure=TypeSpec
''',
    'debugging': '''
eager.context: get_log_device_placement set_log_device_placement
ops.check_ops: assert_equal assert_greater assert_greater_equal assert_integer assert_less
  assert_less_equal assert_near assert_negative assert_non_negative assert_non_positive
  assert_none_equal assert_positive assert_proper_iterable assert_rank assert_rank_at_least
  assert_rank_in assert_same_float_dtype assert_scalar assert_shapes assert_type is_non_decreasing
  is_numeric_tensor is_strictly_increasing
ops.control_flow_ops: Assert
ops.gen_array_ops: check_numerics
ops.gen_math_ops: is_finite is_inf is_nan
ops.numerics: assert_all_finite=verify_tensor_all_finite
''',
    'distribute': '''
distribute.cross_device_ops: CrossDeviceOps HierarchicalCopyAllReduce NcclAllReduce
  ReductionToOneDevice
distribute.distribute_lib: InputContext InputReplicationMode ReplicaContext Strategy=StrategyV1
  StrategyExtended=StrategyExtendedV1 get_loss_reduction
distribute.distribution_strategy_context: experimental_set_strategy get_replica_context
  get_strategy has_strategy in_cross_replica_context
distribute.mirrored_strategy: MirroredStrategy=MirroredStrategyV1
distribute.one_device_strategy: OneDeviceStrategy=OneDeviceStrategyV1
distribute.reduce_util: ReduceOp
training.server_lib: Server
''',
    'distribute.cluster_resolver': '''
distribute.cluster_resolver.cluster_resolver: ClusterResolver SimpleClusterResolver
  UnionResolver=UnionClusterResolver
distribute.cluster_resolver.gce_cluster_resolver: GCEClusterResolver
distribute.cluster_resolver.kubernetes_cluster_resolver: KubernetesClusterResolver
distribute.cluster_resolver.slurm_cluster_resolver: SlurmClusterResolver
distribute.cluster_resolver.tfconfig_cluster_resolver: TFConfigClusterResolver
distribute.cluster_resolver.tpu_cluster_resolver: TPUClusterResolver
''',
    'distribute.experimental': '''
distribute.central_storage_strategy: CentralStorageStrategy=CentralStorageStrategyV1
distribute.collective_all_reduce_strategy:
  MultiWorkerMirroredStrategy=CollectiveAllReduceStrategyV1
distribute.cross_device_ops: CollectiveCommunication
distribute.parameter_server_strategy: ParameterServerStrategy=ParameterServerStrategyV1
distribute.tpu_strategy: TPUStrategy=TPUStrategyV1
''',
    'distributions': '''
ops.distributions.bernoulli: Bernoulli
ops.distributions.beta: Beta
ops.distributions.categorical: Categorical
ops.distributions.dirichlet: Dirichlet
ops.distributions.dirichlet_multinomial: DirichletMultinomial
ops.distributions.distribution: Distribution FULLY_REPARAMETERIZED NOT_REPARAMETERIZED
  ReparameterizationType
ops.distributions.exponential: Exponential
ops.distributions.gamma: Gamma
ops.distributions.kullback_leibler: RegisterKL kl_divergence
ops.distributions.laplace: Laplace
ops.distributions.multinomial: Multinomial
ops.distributions.normal: Normal
ops.distributions.student_t: StudentT
ops.distributions.uniform: Uniform
''',
    'dtypes': '''
framework.dtypes: DType QUANTIZED_DTYPES as_dtype bfloat16 bool complex128 complex64 double
  float16 float32 float64 half int16 int32 int64 int8 qint16 qint32 qint8 quint16 quint8 resource
  string uint16 uint32 uint64 uint8 variant
ops.gen_string_ops: as_string
ops.math_ops: cast complex saturate_cast
''',
    'errors': '''
framework.errors_impl: ABORTED ALREADY_EXISTS AbortedError AlreadyExistsError CANCELLED
  CancelledError DATA_LOSS DEADLINE_EXCEEDED DataLossError DeadlineExceededError
  FAILED_PRECONDITION FailedPreconditionError INTERNAL INVALID_ARGUMENT InternalError
  InvalidArgumentError NOT_FOUND NotFoundError OK OUT_OF_RANGE OpError OutOfRangeError
  PERMISSION_DENIED PermissionDeniedError RESOURCE_EXHAUSTED ResourceExhaustedError
  UNAUTHENTICATED UNAVAILABLE UNIMPLEMENTED UNKNOWN UnauthenticatedError UnavailableError
  UnimplementedError UnknownError error_code_from_exception_type exception_type_from_error_code
  raise_exception_on_not_ok_status
''',
    'estimator': '''
saved_model.model_utils.mode_keys: ModeKeys=EstimatorModeKeys
training.basic_session_run_hooks: CheckpointSaverHook CheckpointSaverListener FeedFnHook
  FinalOpsHook GlobalStepWaiterHook LoggingTensorHook NanLossDuringTrainingError NanTensorHook
  ProfilerHook SecondOrStepTimer StepCounterHook StopAtStepHook SummarySaverHook
training.session_run_hook: SessionRunArgs SessionRunContext SessionRunHook SessionRunValues
training.warm_starting_util: VocabInfo
''',
    'estimator.export': '''
saved_model.model_utils.export_output: ClassificationOutput ExportOutput PredictOutput
  RegressionOutput
''',
    'experimental': '''
eager.context: function_executor_type
ops.control_flow_v2_toggles: output_all_intermediates
''',
    'feature_column': '''
feature_column.feature_column: input_layer linear_model make_parse_example_spec
feature_column.feature_column_v2: bucketized_column categorical_column_with_hash_bucket
  categorical_column_with_identity categorical_column_with_vocabulary_file
  categorical_column_with_vocabulary_list crossed_column embedding_column indicator_column
  numeric_column shared_embedding_columns weighted_categorical_column
feature_column.sequence_feature_column: sequence_categorical_column_with_hash_bucket
  sequence_categorical_column_with_identity sequence_categorical_column_with_vocabulary_file
  sequence_categorical_column_with_vocabulary_list sequence_numeric_column
''',
    'gfile': '''
lib.io.file_io: Copy=copy DeleteRecursively=delete_recursively Exists=file_exists
  Glob=get_matching_files IsDirectory=is_directory ListDirectory=list_directory
  MakeDirs=recursive_create_dir MkDir=create_dir Remove=delete_file Rename=rename Stat=stat
  Walk=walk
platform.gfile: FastGFile GFile Open=GFile
''',
    'graph_util': '''
framework.graph_util_impl: convert_variables_to_constants extract_sub_graph must_run_on_cpu
  remove_training_nodes tensor_shape_from_node_def_name
framework.importer: import_graph_def
''',
    'image': '''
ops.array_ops: extract_image_patches extract_patches=extract_image_patches_v2
ops.gen_image_ops: decode_and_crop_jpeg decode_bmp decode_gif decode_jpeg decode_png encode_jpeg
  encode_png extract_jpeg_shape hsv_to_rgb resize_area rgb_to_hsv
ops.image_ops_impl: ResizeMethod=ResizeMethodV1 adjust_brightness adjust_contrast adjust_gamma
  adjust_hue adjust_jpeg_quality adjust_saturation central_crop combined_non_max_suppression
  convert_image_dtype crop_and_resize=crop_and_resize_v1 crop_to_bounding_box decode_image
  draw_bounding_boxes extract_glimpse flip_left_right flip_up_down grayscale_to_rgb
  image_gradients is_jpeg non_max_suppression
  non_max_suppression_overlaps=non_max_suppression_with_overlaps non_max_suppression_padded
  non_max_suppression_with_scores pad_to_bounding_box per_image_standardization psnr
  random_brightness random_contrast random_flip_left_right random_flip_up_down random_hue
  random_jpeg_quality random_saturation resize=resize_images resize_bicubic resize_bilinear
  resize_image_with_crop_or_pad resize_image_with_pad=resize_image_with_pad_v1 resize_images
  resize_nearest_neighbor resize_with_crop_or_pad=resize_image_with_crop_or_pad rgb_to_grayscale
  rgb_to_yiq rgb_to_yuv rot90 sample_distorted_bounding_box sobel_edges ssim ssim_multiscale
  total_variation transpose transpose_image=transpose yiq_to_rgb yuv_to_rgb
ops.random_ops: random_crop
''',
    'initializers': '''
ops.init_ops: constant=Constant glorot_normal=GlorotNormal glorot_uniform=GlorotUniform he_normal
  he_uniform identity=Identity lecun_normal lecun_uniform ones=Ones orthogonal=Orthogonal
  random_normal=RandomNormal random_uniform=RandomUniform truncated_normal=TruncatedNormal
  uniform_unit_scaling=UniformUnitScaling variance_scaling=VarianceScaling zeros=Zeros
ops.lookup_ops: tables_initializer
ops.variables: global_variables=global_variables_initializer
  local_variables=local_variables_initializer variables=variables_initializer
''',
    'io': '''
framework.graph_io: write_graph
lib.io.tf_record: TFRecordCompressionType TFRecordOptions TFRecordWriter tf_record_iterator
ops.data_flow_ops: PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue
ops.gen_decode_proto_ops: decode_proto=decode_proto_v2
ops.gen_encode_proto_ops: encode_proto
ops.gen_image_ops: decode_and_crop_jpeg decode_bmp decode_gif decode_jpeg decode_png encode_jpeg
  extract_jpeg_shape
ops.gen_io_ops: matching_files read_file write_file
ops.gen_parsing_ops: decode_compressed decode_json_example parse_tensor serialize_tensor
ops.gen_string_ops: decode_base64 encode_base64
ops.image_ops_impl: decode_image is_jpeg
ops.parsing_ops: FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature decode_csv
  decode_raw=decode_raw_v1 parse_example parse_sequence_example parse_single_example
  parse_single_sequence_example
ops.sparse_ops: deserialize_many_sparse serialize_many_sparse serialize_sparse
training.input: match_filenames_once
''',
    'io.gfile': '''
lib.io.file_io: copy=copy_v2 exists=file_exists_v2 glob=get_matching_files_v2
  isdir=is_directory_v2 listdir=list_directory_v2 makedirs=recursive_create_dir_v2
  mkdir=create_dir_v2 remove=delete_file_v2 rename=rename_v2 rmtree=delete_recursively_v2
  stat=stat_v2 walk=walk_v2
platform.gfile: GFile
''',
    'layers': '''
keras.engine.input_spec: InputSpec
layers.base: Layer
layers.convolutional: Conv1D Conv2D Conv2DTranspose Conv3D Conv3DTranspose SeparableConv1D
  SeparableConv2D conv1d conv2d conv2d_transpose conv3d conv3d_transpose separable_conv1d
  separable_conv2d
layers.core: Dense Dropout Flatten dense dropout flatten
layers.normalization: BatchNormalization batch_normalization
layers.pooling: AveragePooling1D AveragePooling2D AveragePooling3D MaxPooling1D MaxPooling2D
  MaxPooling3D average_pooling1d average_pooling2d average_pooling3d max_pooling1d max_pooling2d
  max_pooling3d
''',
    'layers.experimental': '''
layers.base: keras_style_scope set_keras_style
''',
    'linalg': '''
ops.array_ops: diag=matrix_diag diag_part=matrix_diag_part matrix_transpose
  set_diag=matrix_set_diag transpose=matrix_transpose
ops.clip_ops: global_norm
ops.gen_array_ops: band_part=matrix_band_part tensor_diag=diag tensor_diag_part=diag_part
ops.gen_linalg_ops: cholesky det=matrix_determinant inv=matrix_inverse logm=matrix_logarithm lu qr
  slogdet=log_matrix_determinant solve=matrix_solve sqrtm=matrix_square_root
  triangular_solve=matrix_triangular_solve
ops.gen_math_ops: cross
ops.linalg.linalg_impl: adjoint expm=matrix_exponential logdet matrix_rank pinv tridiagonal_matmul
  tridiagonal_solve
ops.linalg.linear_operator: LinearOperator
ops.linalg.linear_operator_adjoint: LinearOperatorAdjoint
ops.linalg.linear_operator_block_diag: LinearOperatorBlockDiag
ops.linalg.linear_operator_circulant: LinearOperatorCirculant LinearOperatorCirculant2D
  LinearOperatorCirculant3D
ops.linalg.linear_operator_composition: LinearOperatorComposition
ops.linalg.linear_operator_diag: LinearOperatorDiag
ops.linalg.linear_operator_full_matrix: LinearOperatorFullMatrix
ops.linalg.linear_operator_householder: LinearOperatorHouseholder
ops.linalg.linear_operator_identity: LinearOperatorIdentity LinearOperatorScaledIdentity
ops.linalg.linear_operator_inversion: LinearOperatorInversion
ops.linalg.linear_operator_kronecker: LinearOperatorKronecker
ops.linalg.linear_operator_low_rank_update: LinearOperatorLowRankUpdate
ops.linalg.linear_operator_lower_triangular: LinearOperatorLowerTriangular
ops.linalg.linear_operator_toeplitz: LinearOperatorToeplitz
ops.linalg.linear_operator_zeros: LinearOperatorZeros
ops.linalg_ops: cholesky_solve eigh=self_adjoint_eig eigvalsh=self_adjoint_eigvals eye
  lstsq=matrix_solve_ls norm svd
ops.math_ops: matmul matvec tensordot trace
ops.nn_impl: l2_normalize normalize
ops.special_math_ops: einsum
''',
    'logging': '''
platform.tf_logging: DEBUG ERROR FATAL INFO TaskLevelStatusMessage WARN debug error fatal flush
  get_verbosity info log log_every_n log_first_n log_if set_verbosity vlog warn warning
''',
    'lookup': '''
ops.lookup_ops: KeyValueTensorInitializer StaticHashTable=StaticHashTableV1
  StaticVocabularyTable=StaticVocabularyTableV1 TextFileIndex TextFileInitializer
''',
    'lookup.experimental': '''
ops.lookup_ops: DenseHashTable
''',
    'losses': '''
ops.losses.losses_impl: Reduction absolute_difference compute_weighted_loss cosine_distance
  hinge_loss huber_loss log_loss mean_pairwise_squared_error mean_squared_error
  sigmoid_cross_entropy softmax_cross_entropy sparse_softmax_cross_entropy
ops.losses.util: add_loss get_losses get_regularization_loss get_regularization_losses
  get_total_loss
''',
    'manip': '''
ops.array_ops: gather_nd reshape
ops.gen_array_ops: batch_to_space_nd reverse=reverse_v2 scatter_nd space_to_batch_nd tile
ops.manip_ops: roll
''',
    'math': '''
ops.check_ops: is_non_decreasing is_strictly_increasing
ops.confusion_matrix: confusion_matrix=confusion_matrix_v1
ops.gen_array_ops: invert_permutation
ops.gen_math_ops: acos acosh add asin asinh atan atan2 atanh bessel_i0e bessel_i1e betainc ceil
  cos cosh digamma erf erfc exp expm1 floor floormod=floor_mod greater greater_equal igamma
  igammac is_finite is_inf is_nan less less_equal lgamma log log1p logical_and logical_not
  logical_or maximum minimum mod=floor_mod negative=neg nextafter=next_after polygamma reciprocal
  rint rsqrt segment_max segment_mean segment_min segment_prod segment_sum sign sin sinh sqrt
  square squared_difference tan tanh unsorted_segment_max unsorted_segment_min
  unsorted_segment_prod unsorted_segment_sum xdivy xlogy zeta
ops.gen_nn_ops: softplus softsign
ops.math_ops: abs accumulate_n add_n angle argmax argmin bincount=bincount_v1 conj count_nonzero
  cumprod cumsum cumulative_logsumexp divide divide_no_nan=div_no_nan equal floordiv imag
  log_sigmoid logical_xor multiply multiply_no_nan not_equal polyval pow real reciprocal_no_nan
  reduce_all=reduce_all_v1 reduce_any=reduce_any_v1 reduce_euclidean_norm
  reduce_logsumexp=reduce_logsumexp_v1 reduce_max=reduce_max_v1 reduce_mean=reduce_mean_v1
  reduce_min=reduce_min_v1 reduce_prod=reduce_prod_v1 reduce_std reduce_sum=reduce_sum_v1
  reduce_variance round scalar_mul sigmoid subtract truediv unsorted_segment_mean
  unsorted_segment_sqrt_n
ops.nn_impl: l2_normalize zero_fraction
ops.nn_ops: in_top_k log_softmax softmax top_k
ops.special_math_ops: bessel_i0 bessel_i1 lbeta
''',
    'metrics': '''
ops.metrics_impl: accuracy auc average_precision_at_k false_negatives
  false_negatives_at_thresholds false_positives false_positives_at_thresholds mean
  mean_absolute_error mean_cosine_distance mean_iou mean_per_class_accuracy mean_relative_error
  mean_squared_error mean_tensor percentage_below precision precision_at_k precision_at_thresholds
  precision_at_top_k recall recall_at_k recall_at_thresholds recall_at_top_k
  root_mean_squared_error sensitivity_at_specificity sparse_average_precision_at_k
  sparse_precision_at_k specificity_at_sensitivity true_negatives true_negatives_at_thresholds
  true_positives true_positives_at_thresholds
''',
    'nest': '''
util.nest: assert_same_structure flatten is_nested map_structure pack_sequence_as
''',
    'nn': '''
ops.array_ops: depth_to_space space_to_batch space_to_depth
ops.candidate_sampling_ops: all_candidate_sampler compute_accidental_hits
  fixed_unigram_candidate_sampler learned_unigram_candidate_sampler log_uniform_candidate_sampler
  uniform_candidate_sampler
ops.ctc_ops: collapse_repeated ctc_beam_search_decoder ctc_beam_search_decoder_v2
  ctc_greedy_decoder ctc_loss ctc_loss_v2 ctc_unique_labels
ops.embedding_ops: embedding_lookup embedding_lookup_sparse safe_embedding_lookup_sparse
ops.gen_math_ops: tanh
ops.gen_nn_ops: conv3d_backprop_filter=conv3d_backprop_filter_v2 conv3d_backprop_filter_v2
  depthwise_conv2d_backprop_filter=depthwise_conv2d_native_backprop_filter
  depthwise_conv2d_backprop_input=depthwise_conv2d_native_backprop_input depthwise_conv2d_native
  depthwise_conv2d_native_backprop_filter depthwise_conv2d_native_backprop_input elu l2_loss
  local_response_normalization=lrn lrn quantized_avg_pool quantized_conv2d quantized_max_pool
  quantized_relu_x relu selu softplus softsign
ops.math_ops: sigmoid
ops.nn_impl: batch_norm_with_global_normalization batch_normalization compute_average_loss
  depthwise_conv2d fused_batch_norm l2_normalize log_poisson_loss moments nce_loss
  normalize_moments relu_layer sampled_softmax_loss scale_regularization_loss separable_conv2d
  sigmoid_cross_entropy_with_logits sufficient_statistics swish weighted_cross_entropy_with_logits
  weighted_moments zero_fraction
ops.nn_ops: atrous_conv2d atrous_conv2d_transpose avg_pool avg_pool1d avg_pool2d=avg_pool
  avg_pool3d avg_pool_v2 bias_add conv1d conv1d_transpose conv2d conv2d_backprop_filter
  conv2d_backprop_input conv2d_transpose conv3d=conv3d_v1 conv3d_transpose conv_transpose
  convolution crelu dilation2d=dilation2d_v1 dropout erosion2d fractional_avg_pool
  fractional_max_pool in_top_k leaky_relu log_softmax max_pool max_pool1d max_pool2d max_pool3d
  max_pool_v2 max_pool_with_argmax=max_pool_with_argmax_v1 pool relu6 softmax
  softmax_cross_entropy_with_logits
  softmax_cross_entropy_with_logits_v2=softmax_cross_entropy_with_logits_v2_helper
  sparse_softmax_cross_entropy_with_logits top_k with_space_to_batch xw_plus_b
ops.rnn: bidirectional_dynamic_rnn bidirectional_rnn=static_bidirectional_rnn dynamic_rnn raw_rnn
  rnn=static_rnn state_saving_rnn=static_state_saving_rnn static_bidirectional_rnn static_rnn
  static_state_saving_rnn
''',
    'nn.seq2seq': '''
/contrib.legacy_seq2seq.python.ops.seq2seq: basic_rnn_seq2seq embedding_rnn_decoder
  embedding_rnn_seq2seq embedding_tied_rnn_seq2seq model_with_buckets rnn_decoder sequence_loss
  sequence_loss_by_example tied_rnn_seq2seq
''',
    'nn.rnn_cell': '''
ops.rnn_cell_impl: BasicLSTMCell BasicRNNCell DeviceWrapper DropoutWrapper GRUCell LSTMCell
  LSTMStateTuple MultiRNNCell RNNCell ResidualWrapper
''',
    'profiler': '''
/core.profiler.tfprof_log_pb2: OpLogProto
/core.profiler.tfprof_output_pb2: AdviceProto GraphNodeProto MultiGraphNodeProto
profiler.model_analyzer: Profiler advise profile
profiler.option_builder: ProfileOptionBuilder
profiler.tfprof_logger: write_op_log
''',
    'python_io': '''
lib.io.tf_record: TFRecordCompressionType TFRecordOptions TFRecordWriter tf_record_iterator
''',
    'quantization': '''
ops.array_ops: quantize quantize_and_dequantize
ops.gen_array_ops: dequantize fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient
  fake_quant_with_min_max_vars fake_quant_with_min_max_vars_gradient
  fake_quant_with_min_max_vars_per_channel fake_quant_with_min_max_vars_per_channel_gradient
  quantized_concat
''',
    'queue': '''
ops.data_flow_ops: FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue
''',
    'ragged': '''
ops.ragged.ragged_array_ops: boolean_mask stack_dynamic_partitions
ops.ragged.ragged_concat_ops: stack
ops.ragged.ragged_factory_ops: constant constant_value placeholder
ops.ragged.ragged_functional_ops: map_flat_values
ops.ragged.ragged_math_ops: range
ops.ragged.ragged_tensor_value: RaggedTensorValue
ops.ragged.segment_id_ops: row_splits_to_segment_ids segment_ids_to_row_splits
''',
    'random': '''
framework.random_seed: get_seed set_random_seed
ops.candidate_sampling_ops: all_candidate_sampler fixed_unigram_candidate_sampler
  learned_unigram_candidate_sampler log_uniform_candidate_sampler uniform_candidate_sampler
ops.random_ops: categorical gamma=random_gamma multinomial normal=random_normal
  poisson=random_poisson shuffle=random_shuffle truncated_normal uniform=random_uniform
ops.stateless_random_ops: stateless_categorical stateless_multinomial
  stateless_normal=stateless_random_normal stateless_truncated_normal
  stateless_uniform=stateless_random_uniform
''',
    'random.experimental': '''
ops.stateful_random_ops: Generator create_rng_state get_global_generator set_global_generator
''',
    'resource_loader': '''
platform.resource_loader: get_data_files_path get_path_to_datafile get_root_dir_with_all_resources
  load_resource readahead_file_path
''',
    'saved_model': '''
saved_model.builder_impl: Builder=SavedModelBuilder
saved_model.constants: ASSETS_DIRECTORY ASSETS_KEY LEGACY_INIT_OP_KEY MAIN_OP_KEY
  SAVED_MODEL_FILENAME_PB SAVED_MODEL_FILENAME_PBTXT SAVED_MODEL_SCHEMA_VERSION
  VARIABLES_DIRECTORY VARIABLES_FILENAME
saved_model.load: load_v2=load
saved_model.loader_impl: contains_saved_model=maybe_saved_model_directory load
  maybe_saved_model_directory
saved_model.main_op_impl: main_op_with_restore
saved_model.save: save
saved_model.signature_constants: CLASSIFY_INPUTS CLASSIFY_METHOD_NAME CLASSIFY_OUTPUT_CLASSES
  CLASSIFY_OUTPUT_SCORES DEFAULT_SERVING_SIGNATURE_DEF_KEY PREDICT_INPUTS PREDICT_METHOD_NAME
  PREDICT_OUTPUTS REGRESS_INPUTS REGRESS_METHOD_NAME REGRESS_OUTPUTS
saved_model.signature_def_utils_impl: build_signature_def classification_signature_def
  is_valid_signature predict_signature_def regression_signature_def
saved_model.simple_save: simple_save
saved_model.tag_constants: GPU SERVING TPU TRAINING
saved_model.utils_impl: build_tensor_info get_tensor_from_tensor_info
''',
    'saved_model.builder': '''
saved_model.builder_impl: SavedModelBuilder
''',
    'saved_model.constants': '''
saved_model.constants: ASSETS_DIRECTORY ASSETS_KEY LEGACY_INIT_OP_KEY MAIN_OP_KEY
  SAVED_MODEL_FILENAME_PB SAVED_MODEL_FILENAME_PBTXT SAVED_MODEL_SCHEMA_VERSION
  VARIABLES_DIRECTORY VARIABLES_FILENAME
''',
    'saved_model.experimental': '''
saved_model.save: save
''',
    'saved_model.loader': '''
saved_model.loader_impl: load maybe_saved_model_directory
''',
    'saved_model.main_op': '''
saved_model.main_op_impl: main_op main_op_with_restore
''',
    'saved_model.signature_constants': '''
saved_model.signature_constants: CLASSIFY_INPUTS CLASSIFY_METHOD_NAME CLASSIFY_OUTPUT_CLASSES
  CLASSIFY_OUTPUT_SCORES DEFAULT_SERVING_SIGNATURE_DEF_KEY PREDICT_INPUTS PREDICT_METHOD_NAME
  PREDICT_OUTPUTS REGRESS_INPUTS REGRESS_METHOD_NAME REGRESS_OUTPUTS
''',
    'saved_model.signature_def_utils': '''
saved_model.signature_def_utils_impl: build_signature_def classification_signature_def
  is_valid_signature predict_signature_def regression_signature_def
''',
    'saved_model.tag_constants': '''
saved_model.tag_constants: GPU SERVING TPU TRAINING
''',
    'saved_model.utils': '''
saved_model.utils_impl: build_tensor_info get_tensor_from_tensor_info
''',
    'sets': '''
ops.sets_impl: difference=set_difference intersection=set_intersection set_difference
  set_intersection set_size set_union size=set_size union=set_union
''',
    'signal': '''
ops.gen_spectral_ops: fft fft2d fft3d ifft ifft2d ifft3d
ops.signal.dct_ops: dct idct
ops.signal.fft_ops: fftshift ifftshift irfft irfft2d irfft3d rfft rfft2d rfft3d
ops.signal.mel_ops: linear_to_mel_weight_matrix
ops.signal.mfcc_ops: mfccs_from_log_mel_spectrograms
ops.signal.reconstruction_ops: overlap_and_add
ops.signal.shape_ops: frame
ops.signal.spectral_ops: inverse_stft inverse_stft_window_fn stft
ops.signal.window_ops: hamming_window hann_window
''',
    'sparse': '''
framework.sparse_tensor: SparseTensor
ops.array_ops: mask=sparse_mask placeholder=sparse_placeholder
ops.data_flow_ops: SparseConditionalAccumulator
ops.math_ops: segment_mean=sparse_segment_mean segment_sqrt_n=sparse_segment_sqrt_n
  segment_sum=sparse_segment_sum
ops.sparse_ops: add=sparse_add concat=sparse_concat cross=sparse_cross
  cross_hashed=sparse_cross_hashed expand_dims=sparse_expand_dims eye=sparse_eye
  fill_empty_rows=sparse_fill_empty_rows from_dense matmul=sparse_tensor_dense_matmul
  maximum=sparse_maximum merge=sparse_merge minimum=sparse_minimum reduce_max=sparse_reduce_max
  reduce_max_sparse=sparse_reduce_max_sparse reduce_sum=sparse_reduce_sum
  reduce_sum_sparse=sparse_reduce_sum_sparse reorder=sparse_reorder reset_shape=sparse_reset_shape
  reshape=sparse_reshape retain=sparse_retain slice=sparse_slice softmax=sparse_softmax
  sparse_dense_matmul=sparse_tensor_dense_matmul split=sparse_split
  to_dense=sparse_tensor_to_dense to_indicator=sparse_to_indicator transpose=sparse_transpose
''',
    'spectral': '''
ops.gen_spectral_ops: fft fft2d fft3d ifft ifft2d ifft3d
ops.signal.dct_ops: dct idct
ops.signal.fft_ops: irfft irfft2d irfft3d rfft rfft2d rfft3d
''',
    'strings': '''
ops.gen_string_ops: as_string join=string_join lower=string_lower strip=string_strip
  to_hash_bucket_fast=string_to_hash_bucket_fast
  to_hash_bucket_strong=string_to_hash_bucket_strong unicode_script unicode_transcode
  unsorted_segment_join upper=string_upper
ops.ragged.ragged_string_ops: bytes_split=string_bytes_split ngrams split=strings_split_v1
  unicode_decode unicode_decode_with_offsets unicode_encode unicode_split
  unicode_split_with_offsets
ops.string_ops: format=string_format length=string_length reduce_join regex_full_match
  regex_replace substr to_hash_bucket=string_to_hash_bucket_v1 to_number=string_to_number_v1
''',
    'summary': '''
/core.framework.summary_pb2: Summary SummaryDescription
/core.util.event_pb2: Event SessionLog TaggedRunMetadata
ops.summary_ops_v2: all_v2_summary_ops initialize
summary.summary: audio get_summary_description histogram image merge merge_all scalar
  tensor_summary text
summary.writer.writer: FileWriter
summary.writer.writer_cache: FileWriterCache
''',
    'sysconfig': '''
framework.versions: CXX11_ABI_FLAG MONOLITHIC_BUILD
platform.sysconfig: get_compile_flags get_include get_lib get_link_flags
''',
    'test': '''
framework.test_util: TestCase=TensorFlowTestCase assert_equal_graph_def=assert_equal_graph_def_v1
  create_local_cluster gpu_device_name is_gpu_available
ops.gradient_checker: compute_gradient compute_gradient_error
platform.benchmark: Benchmark=TensorFlowBenchmark benchmark_config
platform.googletest: StubOutForTesting
platform.test: get_temp_dir is_built_with_cuda is_built_with_gpu_support is_built_with_rocm main
  test_src_dir_path
''',
    'train': '''
/core.example.example_pb2: Example SequenceExample
/core.example.feature_pb2: BytesList Feature FeatureList FeatureLists Features FloatList Int64List
/core.protobuf.cluster_pb2: ClusterDef JobDef
/core.protobuf.saver_pb2: SaverDef
/core.protobuf.tensorflow_server_pb2: ServerDef
framework.graph_io: write_graph
ops.gen_sdca_ops: sdca_fprint sdca_optimizer sdca_shrink_l1
pywrap_tensorflow: NewCheckpointReader do_quantize_training_on_graphdef
summary.summary_iterator: summary_iterator
summary.writer.writer: SummaryWriter=FileWriter
training.adadelta: AdadeltaOptimizer
training.adagrad: AdagradOptimizer
training.adagrad_da: AdagradDAOptimizer
training.adam: AdamOptimizer
training.basic_loops: basic_train_loop
training.basic_session_run_hooks: CheckpointSaverHook CheckpointSaverListener FeedFnHook
  FinalOpsHook GlobalStepWaiterHook LoggingTensorHook NanLossDuringTrainingError NanTensorHook
  ProfilerHook SecondOrStepTimer StepCounterHook StopAtStepHook SummarySaverHook
training.checkpoint_management: CheckpointManager checkpoint_exists
  generate_checkpoint_state_proto get_checkpoint_mtimes get_checkpoint_state latest_checkpoint
  remove_checkpoint update_checkpoint_state
training.checkpoint_utils: checkpoints_iterator init_from_checkpoint list_variables
  load_checkpoint load_variable
training.coordinator: Coordinator LooperThread
training.device_setter: replica_device_setter
training.ftrl: FtrlOptimizer
training.gradient_descent: GradientDescentOptimizer
training.input: batch batch_join input_producer limit_epochs match_filenames_once maybe_batch
  maybe_batch_join maybe_shuffle_batch maybe_shuffle_batch_join range_input_producer shuffle_batch
  shuffle_batch_join slice_input_producer string_input_producer
training.learning_rate_decay: cosine_decay cosine_decay_restarts exponential_decay
  inverse_time_decay linear_cosine_decay natural_exp_decay noisy_linear_cosine_decay
  piecewise_constant piecewise_constant_decay=piecewise_constant polynomial_decay
training.momentum: MomentumOptimizer
training.monitored_session: ChiefSessionCreator MonitoredSession MonitoredTrainingSession Scaffold
  SessionCreator SingularMonitoredSession WorkerSessionCreator
training.moving_averages: ExponentialMovingAverage
training.optimizer: Optimizer
training.proximal_adagrad: ProximalAdagradOptimizer
training.proximal_gradient_descent: ProximalGradientDescentOptimizer
training.queue_runner_impl: QueueRunner add_queue_runner start_queue_runners
training.rmsprop: RMSPropOptimizer
training.saver: Saver export_meta_graph import_meta_graph
training.server_lib: ClusterSpec Server
training.session_manager: SessionManager
training.session_run_hook: SessionRunArgs SessionRunContext SessionRunHook SessionRunValues
training.supervisor: Supervisor
training.sync_replicas_optimizer: SyncReplicasOptimizer
training.tracking.util: Checkpoint=CheckpointV1
training.training_util: assert_global_step create_global_step get_global_step
  get_or_create_global_step global_step
training.warm_starting_util: VocabInfo warm_start
''',
    'train.experimental': '''
training.experimental.loss_scale: DynamicLossScale FixedLossScale LossScale
training.experimental.loss_scale_optimizer: MixedPrecisionLossScaleOptimizer
training.experimental.mixed_precision:
  disable_mixed_precision_graph_rewrite=disable_mixed_precision_graph_rewrite_v1
  enable_mixed_precision_graph_rewrite=enable_mixed_precision_graph_rewrite_v1
training.tracking.python_state: PythonState
''',
    'train.queue_runner': '''
training.queue_runner_impl: QueueRunner add_queue_runner start_queue_runners
''',
    'user_ops': '''
user_ops.user_ops: my_fact
''',
    'version': '''
framework.versions: COMPILER_VERSION GIT_VERSION GRAPH_DEF_VERSION GRAPH_DEF_VERSION_MIN_CONSUMER
  GRAPH_DEF_VERSION_MIN_PRODUCER VERSION
''',
    'xla.experimental': '''
compiler.xla.jit: jit_scope=experimental_jit_scope
compiler.xla.xla: compile
''',
}

# Namespaces that are modules of their own.
MODULES = {
    'flags': 'python.platform.flags',
    'app.flags': 'python.platform.flags',
    'raw_ops': 'python.ops.raw_ops',
}
