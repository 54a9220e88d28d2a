# SPDX-License-Identifier: Apache-2.0
"""The public names of tf.contrib, and where each lives.

Read by leat/_namespaces.py, a namespace at a time. A line is a module below leat.python (or,
after a /, below leat) and the names that it gives: `public`, or `public=name in the module`. Rows
whose module is not written yet say so when they are asked for. Packages below
leat/contrib that have files of their own come first."""
ROWS = {
    'contrib.checkpoint': '''
/contrib.checkpoint.python.containers: UniqueNameTracker
/contrib.checkpoint.python.python_state: NumpyState
/contrib.checkpoint.python.split_dependency: split_dependency
training.checkpoint_management: CheckpointManager
training.tracking.base: CheckpointableBase=Trackable
training.tracking.data_structures: List Mapping NoDependency
training.tracking.python_state: PythonStateWrapper=PythonState
training.tracking.tracking: Checkpointable=AutoTrackable
training.tracking.util: capture_dependencies list_objects object_metadata
''',
    'contrib.copy_graph': '''
/contrib.copy_graph.python.util.copy_elements: copy_op_to_graph copy_variable_to_graph get_copied_op
''',
    'contrib.deprecated': '''
ops.old_summaries: audio_summary histogram_summary image_summary merge_all_summaries merge_summary
  scalar_summary
''',
    'contrib.feature_column': '''
feature_column.sequence_feature_column:
  sequence_categorical_column_with_hash_bucket sequence_categorical_column_with_identity
  sequence_categorical_column_with_vocabulary_file sequence_categorical_column_with_vocabulary_list
  sequence_numeric_column
''',
    'contrib.mixed_precision': '''
/contrib.mixed_precision.python.loss_scale_manager: ExponentialUpdateLossScaleManager
  FixedLossScaleManager LossScaleManager
/contrib.mixed_precision.python.loss_scale_optimizer: LossScaleOptimizer
''',
    'contrib.nn': '''
/contrib.nn.python.ops.alpha_dropout: alpha_dropout
/contrib.nn.python.ops.cross_entropy: deprecated_flipped_sigmoid_cross_entropy_with_logits
  deprecated_flipped_softmax_cross_entropy_with_logits
  deprecated_flipped_sparse_softmax_cross_entropy_with_logits
/contrib.nn.python.ops.sampling_ops: rank_sampled_softmax_loss sampled_sparse_softmax_loss
/contrib.nn.python.ops.scaled_softplus: scaled_softplus
ops.nn_ops: conv1d_transpose nth_element
''',
    'contrib.signal': '''
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
    'contrib.sparsemax': '''
/contrib.sparsemax.python.ops.sparsemax: sparsemax
/contrib.sparsemax.python.ops.sparsemax_loss: sparsemax_loss
''',
    'contrib.staging': '''
ops.data_flow_ops: StagingArea
''',
    'contrib.stateless': '''
ops.stateless_random_ops: stateless_multinomial stateless_random_normal stateless_random_uniform
  stateless_truncated_normal
''',
    'contrib.crf': '''
/contrib.crf.python.ops.crf: CrfDecodeBackwardRnnCell CrfDecodeForwardRnnCell CrfForwardRnnCell
  crf_binary_score crf_decode crf_log_likelihood crf_log_norm crf_multitag_sequence_score
  crf_sequence_score crf_unary_score viterbi_decode
''',
    'contrib.distributions': '''
/contrib.distributions.python.ops._categories: ExpRelaxedOneHotCategorical OneHotCategorical
  RelaxedBernoulli RelaxedOneHotCategorical
/contrib.distributions.python.ops._counting: Binomial Geometric NegativeBinomial Poisson
/contrib.distributions.python.ops._gammas: Chi2 Chi2WithAbsDf InverseGamma
  InverseGammaWithSoftplusConcentrationRate
/contrib.distributions.python.ops._loc_scale: Cauchy HalfNormal Logistic
/contrib.distributions.python.ops.deterministic: Deterministic VectorDeterministic
/contrib.distributions.python.ops.independent: Independent
/contrib.distributions.python.ops.mixtures: Mixture MixtureSameFamily
/contrib.distributions.python.ops.mvn: MultivariateNormalDiag
  MultivariateNormalDiagWithSoftplusScale MultivariateNormalFullCovariance MultivariateNormalTriL
ops.distributions.bernoulli: Bernoulli
ops.distributions.beta: Beta BetaWithSoftplusConcentration
ops.distributions.categorical: Categorical
ops.distributions.dirichlet: Dirichlet
ops.distributions.dirichlet_multinomial: DirichletMultinomial
ops.distributions.distribution: Distribution FULLY_REPARAMETERIZED NOT_REPARAMETERIZED
  ReparameterizationType
ops.distributions.exponential: Exponential ExponentialWithSoftplusRate
ops.distributions.gamma: Gamma GammaWithSoftplusConcentrationRate
ops.distributions.kullback_leibler: RegisterKL kl_divergence
ops.distributions.laplace: Laplace LaplaceWithSoftplusScale
ops.distributions.multinomial: Multinomial
ops.distributions.normal: Normal NormalWithSoftplusScale
ops.distributions.student_t: StudentT StudentTWithAbsDfSoftplusScale
ops.distributions.transformed_distribution: TransformedDistribution
ops.distributions.uniform: Uniform
ops.distributions.util: fill_triangular fill_triangular_inverse matrix_diag_transform
  reduce_weighted_logsumexp softplus_inverse tridiag
''',
    'contrib.distributions.bijectors': '''
/contrib.distributions.python.ops.bijectors.elementwise: AbsoluteValue AffineScalar Exp Gumbel
  PowerTransform Sigmoid SinhArcsinh Softplus Softsign Square
/contrib.distributions.python.ops.bijectors.structure: Chain Inline Invert Permute Reshape
  SoftmaxCentered
ops.distributions.bijector: Bijector
ops.distributions.identity_bijector: Identity
''',
    'contrib.eager': '''
eager.backprop: GradientTape
eager.context: ASYNC DEVICE_PLACEMENT_EXPLICIT DEVICE_PLACEMENT_SILENT DEVICE_PLACEMENT_WARN SYNC
  executing_eagerly in_eager_mode=executing_eagerly list_devices num_gpus
eager.def_function: function
eager.function: defun
framework.ops: enable_eager_execution
framework.tensor_spec: TensorSpec
framework.test_util: run_all_tests_in_graph_and_eager_modes=run_all_in_graph_and_eager_modes
  run_test_in_graph_and_eager_modes=run_in_graph_and_eager_modes
ops.custom_gradient: custom_gradient
ops.resource_variable_ops: Variable=ResourceVariable
ops.script_ops: py_func=eager_py_func
ops.template: make_template=make_template_internal
ops.variable_scope: EagerVariableStore
training.tracking.tracking: Checkpointable=AutoTrackable
training.tracking.util: Checkpoint=CheckpointV1
''',
    'contrib.factorization': '''
/contrib.factorization.python.ops.clustering_ops: COSINE_DISTANCE KMEANS_PLUS_PLUS_INIT KMeans
  RANDOM_INIT SQUARED_EUCLIDEAN_DISTANCE
''',
    'contrib.framework': '''
/contrib.framework.python.framework.checkpoint_utils: init_from_checkpoint list_variables
  load_checkpoint load_variable
/contrib.framework.python.framework.graph_util: fuse_op get_placeholders
/contrib.framework.python.framework.tensor_util: assert_scalar_int reduce_sum_n
  remove_squeezable_dimensions with_same_shape with_shape
/contrib.framework.python.ops.arg_scope: add_arg_scope arg_scope arg_scoped_arguments
  current_arg_scope has_arg_scope
/contrib.framework.python.ops.checkpoint_ops: load_linear_multiclass_bias_initializer
  load_variable_slot_initializer
/contrib.framework.python.ops.ops: get_graph_from_inputs get_name_scope
/contrib.framework.python.ops.script_ops: py_func
/contrib.framework.python.ops.variables: VariableDeviceChooser add_model_variable
  assert_global_step assert_or_get_global_step assign_from_checkpoint assign_from_checkpoint_fn
  assign_from_values assign_from_values_fn create_global_step filter_variables get_global_step
  get_local_variables get_model_variables get_or_create_global_step get_trainable_variables
  get_unique_variable get_variable_full_name get_variables get_variables_by_name
  get_variables_by_suffix get_variables_to_restore global_variable local_variable model_variable
  variable zero_initializer
framework.ops: prepend_name_scope strip_name_scope
framework.smart_cond: smart_case smart_cond smart_constant_value
framework.sparse_tensor: convert_to_tensor_or_sparse_tensor
framework.tensor_spec: BoundedTensorSpec TensorSpec
framework.tensor_util: is_tensor
ops.check_ops: assert_same_float_dtype assert_scalar
ops.data_flow_ops: RecordInput
ops.init_ops: convolutional_delta_orthogonal=ConvolutionDeltaOrthogonal
  convolutional_orthogonal_1d=ConvolutionOrthogonal1D
  convolutional_orthogonal_2d=ConvolutionOrthogonal2D
  convolutional_orthogonal_3d=ConvolutionOrthogonal3D
ops.sort_ops: argsort sort
training.checkpoint_ops: load_and_remap_matrix_initializer=_load_and_remap_matrix_initializer
  load_embedding_initializer=_load_embedding_initializer
util.deprecation: deprecated deprecated_arg_values deprecated_args
''',
    'contrib.graph_editor': '''
/contrib.graph_editor.edit: bypass connect detach detach_control_inputs detach_control_outputs
  detach_inputs detach_outputs
/contrib.graph_editor.reroute: add_control_inputs remove_control_inputs reroute_inputs reroute_ios
  reroute_outputs reroute_ts swap_inputs swap_ios swap_outputs swap_ts
/contrib.graph_editor.select: can_be_regex check_cios compute_boundary_ts filter_ops
  filter_ops_from_regex filter_ts filter_ts_from_regex get_backward_walk_ops get_forward_walk_ops
  get_name_scope_ops get_ops_ios get_walks_intersection_ops get_walks_union_ops
  get_within_boundary_ops make_regex select_ops select_ops_and_ts select_ts
/contrib.graph_editor.subgraph: SubGraphView make_view make_view_from_scope sgv=make_view
  sgv_scope=make_view_from_scope
/contrib.graph_editor.transform: Transformer TransformerInfo assign_renamed_collections_handler
  copy copy_op_handler copy_with_input_replacements graph_replace keep_t_if_possible_handler
  replace_t_with_placeholder_handler transform_op_if_inside_handler
/contrib.graph_editor.util: ControlOutputs get_consuming_ops get_generating_ops get_tensors
  make_list_of_op make_list_of_t make_placeholder_from_dtype_and_shape
  make_placeholder_from_tensor ph=make_placeholder_from_dtype_and_shape placeholder_name
''',
    'contrib.image': '''
/contrib.image.python.ops.dense_image_warp: dense_image_warp
/contrib.image.python.ops.image_ops: angles_to_projective_transforms bipartite_match
  compose_transforms connected_components flat_transforms_to_matrices matrices_to_flat_transforms
  rotate transform translate translations_to_projective_transforms
/contrib.image.python.ops.interpolate_spline: interpolate_spline
/contrib.image.python.ops.single_image_random_dot_stereograms: single_image_random_dot_stereograms
/contrib.image.python.ops.sparse_image_warp: sparse_image_warp
''',
    'contrib.layers': '''
/contrib.layers.python.layers.layers: elu legacy_linear legacy_relu linear relu relu6 scale_gradient
/contrib.layers.python.layers.optimizers: OPTIMIZER_CLS_NAMES OPTIMIZER_SUMMARIES
/contrib.layers.python.ops.sparse_feature_cross_op: SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY
/contrib.layers.python.layers.embedding_ops: embedding_lookup_unique safe_embedding_lookup_sparse
/contrib.layers.python.layers.encoders: bow_encoder embed_sequence
/contrib.layers.python.layers.feature_column: bucketized_column create_feature_spec_for_parsing
  crossed_column embedding_column make_place_holder_tensors_for_base_features one_hot_column
  real_valued_column scattered_embedding_column shared_embedding_columns
  sparse_column_with_hash_bucket sparse_column_with_integerized_feature sparse_column_with_keys
  sparse_column_with_vocabulary_file weighted_sparse_column
/contrib.layers.python.layers.feature_column_ops: check_feature_columns infer_real_valued_columns
  input_from_feature_columns joint_weighted_sum_from_feature_columns
  parse_feature_columns_from_examples parse_feature_columns_from_sequence_examples
  sequence_input_from_feature_columns transform_features weighted_sum_from_feature_columns
/contrib.layers.python.layers.initializers: variance_scaling_initializer xavier_initializer
  xavier_initializer_conv2d=xavier_initializer
/contrib.layers.python.layers.layers: GDN avg_pool2d avg_pool3d batch_norm bias_add
  conv1d=convolution1d conv2d=convolution2d conv2d_in_plane=convolution2d_in_plane
  conv2d_transpose=convolution2d_transpose conv3d=convolution3d
  conv3d_transpose=convolution3d_transpose convolution convolution1d convolution2d
  convolution2d_in_plane convolution2d_transpose convolution3d convolution3d_transpose
  dense_to_sparse dropout flatten fully_connected gdn images_to_sequence layer_norm
  legacy_fully_connected max_pool2d max_pool3d maxout one_hot_encoding repeat
  separable_conv2d=separable_convolution2d separable_convolution2d sequence_to_images softmax
  spatial_softmax stack unit_norm
/contrib.layers.python.layers.normalization: group_norm instance_norm
/contrib.layers.python.layers.optimizers: optimize_loss
/contrib.layers.python.layers.regularizers: apply_regularization l1_l2_regularizer l1_regularizer
  l2_regularizer sum_regularizer
/contrib.layers.python.layers.rev_block_lib: RevBlock recompute_grad rev_block
/contrib.layers.python.layers.summaries: summarize_activation summarize_activations
  summarize_collection summarize_tensor summarize_tensors
/contrib.layers.python.layers.target_column: multi_class_target regression_target
''',
    'contrib.legacy_seq2seq': '''
/contrib.legacy_seq2seq.python.ops.seq2seq: attention_decoder basic_rnn_seq2seq
  embedding_attention_decoder embedding_attention_seq2seq embedding_rnn_decoder
  embedding_rnn_seq2seq embedding_tied_rnn_seq2seq model_with_buckets one2many_rnn_seq2seq
  rnn_decoder sequence_loss sequence_loss_by_example tied_rnn_seq2seq
''',
    'contrib.lookup': '''
/contrib.lookup: FastHashSpec
/contrib.lookup.lookup_ops: HashTable index_table_from_tensor index_to_string
  index_to_string_table_from_tensor string_to_index string_to_index_table_from_file
  string_to_index_table_from_tensor
ops.lookup_ops: HasherSpec IdTableWithHashBuckets InitializableLookupTableBase
  KeyValueTensorInitializer LookupInterface MutableDenseHashTable=DenseHashTable MutableHashTable
  StrongHashSpec TableInitializerBase TextFileIdTableInitializer TextFileIndex TextFileInitializer
  TextFileStringTableInitializer index_table_from_file index_to_string_table_from_file
''',
    'contrib.losses': '''
/contrib.losses.python.losses.loss_ops: absolute_difference add_loss compute_weighted_loss
  cosine_distance get_losses get_regularization_losses get_total_loss hinge_loss log_loss
  mean_pairwise_squared_error mean_squared_error sigmoid_cross_entropy softmax_cross_entropy
  sparse_softmax_cross_entropy
''',
    'contrib.metrics': '''
/contrib.metrics.python.metrics.classification: accuracy f1_score
/contrib.metrics.python.ops.confusion_matrix_ops: confusion_matrix
/contrib.metrics.python.ops.histogram_ops: auc_using_histogram
/contrib.metrics.python.ops.metric_ops: aggregate_metric_map aggregate_metrics
  auc_with_confidence_intervals cohen_kappa count precision_at_recall
  precision_recall_at_equal_thresholds recall_at_precision sparse_recall_at_top_k
  streaming_accuracy streaming_auc streaming_concat streaming_covariance streaming_curve_points
  streaming_dynamic_auc streaming_false_negative_rate streaming_false_negative_rate_at_thresholds
  streaming_false_negatives streaming_false_negatives_at_thresholds streaming_false_positive_rate
  streaming_false_positive_rate_at_thresholds streaming_false_positives
  streaming_false_positives_at_thresholds streaming_mean streaming_mean_absolute_error
  streaming_mean_cosine_distance streaming_mean_iou streaming_mean_relative_error
  streaming_mean_squared_error streaming_mean_tensor streaming_pearson_correlation
  streaming_percentage_less streaming_precision streaming_precision_at_thresholds streaming_recall
  streaming_recall_at_k streaming_recall_at_thresholds streaming_root_mean_squared_error
  streaming_sensitivity_at_specificity streaming_sparse_average_precision_at_k
  streaming_sparse_average_precision_at_top_k streaming_sparse_precision_at_k
  streaming_sparse_precision_at_top_k streaming_sparse_recall_at_k
  streaming_specificity_at_sensitivity streaming_true_negatives
  streaming_true_negatives_at_thresholds streaming_true_positives
  streaming_true_positives_at_thresholds
ops.sets_impl: set_difference set_intersection set_size set_union
''',
    'contrib.opt': '''
/contrib.opt.python.training.adam_gs_optimizer: AdamGSOptimizer
/contrib.opt.python.training.adamax: AdaMaxOptimizer
/contrib.opt.python.training.addsign: AddSignOptimizer
/contrib.opt.python.training.agn_optimizer: AGNCustomGetter AGNOptimizer
/contrib.opt.python.training.drop_stale_gradient_optimizer: DropStaleGradientOptimizer
/contrib.opt.python.training.elastic_average_optimizer: ElasticAverageCustomGetter
  ElasticAverageOptimizer
/contrib.opt.python.training.external_optimizer: ExternalOptimizerInterface
  ScipyOptimizerInterface
/contrib.opt.python.training.ggt: GGTOptimizer
/contrib.opt.python.training.lars_optimizer: LARSOptimizer
/contrib.opt.python.training.lazy_adam_gs_optimizer: LazyAdamGSOptimizer
/contrib.opt.python.training.lazy_adam_optimizer: LazyAdamOptimizer
/contrib.opt.python.training.model_average_optimizer: ModelAverageCustomGetter
  ModelAverageOptimizer
/contrib.opt.python.training.moving_average_optimizer: MovingAverageOptimizer
/contrib.opt.python.training.multitask_optimizer_wrapper: MultitaskOptimizerWrapper
  clip_gradients_by_global_norm
/contrib.opt.python.training.nadam_optimizer: NadamOptimizer
/contrib.opt.python.training.powersign: PowerSignOptimizer
/contrib.opt.python.training.reg_adagrad_optimizer: RegAdagradOptimizer
/contrib.opt.python.training.shampoo: ShampooOptimizer
/contrib.opt.python.training.variable_clipping_optimizer: VariableClippingOptimizer
/contrib.opt.python.training.weight_decay_optimizers: AdamWOptimizer DecoupledWeightDecayExtension
  MomentumWOptimizer extend_with_decoupled_weight_decay
''',
    'contrib.rnn': '''
/contrib.rnn.python.ops.core_rnn_cell: EmbeddingWrapper InputProjectionWrapper
  OutputProjectionWrapper
/contrib.rnn.python.ops.fused_rnn_cell: FusedRNNCell FusedRNNCellAdaptor TimeReversedFusedRNN
/contrib.rnn.python.ops.gru_ops: GRUBlockCell GRUBlockCellV2
/contrib.rnn.python.ops.lstm_ops: LSTMBlockCell LSTMBlockFusedCell LSTMBlockWrapper
/contrib.rnn.python.ops.rnn: stack_bidirectional_dynamic_rnn stack_bidirectional_rnn
/contrib.rnn.python.ops.rnn_cell: AttentionCellWrapper BidirectionalGridLSTMCell CompiledWrapper
  Conv1DLSTMCell Conv2DLSTMCell Conv3DLSTMCell ConvLSTMCell CoupledInputForgetGateLSTMCell
  GLSTMCell GridLSTMCell HighwayWrapper IndRNNCell IndyGRUCell IndyLSTMCell IntersectionRNNCell
  LayerNormBasicLSTMCell NASCell PhasedLSTMCell SRUCell TimeFreqLSTMCell UGRNNCell
ops.rnn: best_effort_input_batch_size=_best_effort_input_batch_size static_bidirectional_rnn
  static_rnn static_state_saving_rnn transpose_batch_time=_transpose_batch_time
ops.rnn_cell_impl: BasicLSTMCell BasicRNNCell DeviceWrapper DropoutWrapper GRUCell LSTMCell
  LSTMStateTuple LayerRNNCell MultiRNNCell RNNCell ResidualWrapper
''',
    'contrib.predictor': '''
/contrib.predictor.predictor_factories: from_saved_model
''',
    'contrib.seq2seq': '''
/contrib.seq2seq.ops.gen_beam_search_ops: gather_tree
/contrib.seq2seq.python.ops.attention_wrapper: AttentionMechanism AttentionWrapper
  AttentionWrapperState BahdanauAttention LuongAttention hardmax
/contrib.seq2seq.python.ops.basic_decoder: BasicDecoder BasicDecoderOutput
/contrib.seq2seq.python.ops.beam_search_decoder: BeamSearchDecoder BeamSearchDecoderOutput
  BeamSearchDecoderState FinalBeamSearchDecoderOutput tile_batch
/contrib.seq2seq.python.ops.decoder: Decoder dynamic_decode
/contrib.seq2seq.python.ops.helper: CustomHelper GreedyEmbeddingHelper Helper InferenceHelper
  SampleEmbeddingHelper TrainingHelper
/contrib.seq2seq.python.ops.loss: sequence_loss
/contrib.seq2seq.python.ops.monotonic: BahdanauMonotonicAttention LuongMonotonicAttention
  monotonic_attention safe_cumprod
/contrib.seq2seq.python.ops.scheduled: ScheduledEmbeddingTrainingHelper
  ScheduledOutputTrainingHelper
''',
    'contrib.slim': '''
/contrib.framework.python.framework.experimental: experimental
/contrib.framework.python.ops.arg_scope: add_arg_scope arg_scope arg_scope_func_key
  arg_scoped_arguments current_arg_scope has_arg_scope
/contrib.framework.python.ops.variables: VariableDeviceChooser add_model_variable
  assert_global_step assert_or_get_global_step assign_from_checkpoint assign_from_checkpoint_fn
  assign_from_values assign_from_values_fn create_global_step filter_variables get_global_step
  get_local_variables get_model_variables get_or_create_global_step get_trainable_variables
  get_unique_variable get_variable_full_name get_variables get_variables_by_name
  get_variables_by_suffix get_variables_to_restore global_variable local_variable model_variable
  variable zero_initializer
/contrib.layers.python.layers.layers: elu legacy_linear legacy_relu linear relu relu6 scale_gradient
/contrib.layers.python.layers.optimizers: OPTIMIZER_CLS_NAMES OPTIMIZER_SUMMARIES
/contrib.layers.python.ops.sparse_feature_cross_op: SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY
/contrib.layers.python.layers.summaries: summarize_biases summarize_variables summarize_weights
/contrib.layers.python.layers.embedding_ops: embedding_lookup_sparse_with_distributed_aggregation
  embedding_lookup_unique safe_embedding_lookup_sparse scattered_embedding_lookup
  scattered_embedding_lookup_sparse
/contrib.layers.python.layers.encoders: bow_encoder embed_sequence
/contrib.layers.python.layers.feature_column: DataFrameColumn bucketized_column
  create_feature_spec_for_parsing crossed_column embedding_column
  make_place_holder_tensors_for_base_features one_hot_column real_valued_column
  scattered_embedding_column shared_embedding_columns sparse_column_with_hash_bucket
  sparse_column_with_integerized_feature sparse_column_with_keys
  sparse_column_with_vocabulary_file weighted_sparse_column
/contrib.layers.python.layers.feature_column_ops: check_feature_columns infer_real_valued_columns
  input_from_feature_columns joint_weighted_sum_from_feature_columns
  parse_feature_columns_from_examples parse_feature_columns_from_sequence_examples
  sequence_input_from_feature_columns transform_features weighted_sum_from_feature_columns
/contrib.layers.python.layers.initializers: variance_scaling_initializer xavier_initializer
  xavier_initializer_conv2d=xavier_initializer
/contrib.layers.python.layers.layers: GDN avg_pool2d avg_pool3d batch_norm bias_add
  conv1d=convolution1d conv2d=convolution2d conv2d_in_plane=convolution2d_in_plane
  conv2d_transpose=convolution2d_transpose conv3d=convolution3d
  conv3d_transpose=convolution3d_transpose convolution convolution1d convolution2d
  convolution2d_in_plane convolution2d_transpose convolution3d convolution3d_transpose
  dense_to_sparse dropout flatten fully_connected gdn images_to_sequence layer_norm
  legacy_fully_connected max_pool2d max_pool3d maxout one_hot_encoding pool repeat
  separable_conv2d=separable_convolution2d separable_convolution2d sequence_to_images softmax
  spatial_softmax stack unit_norm
/contrib.layers.python.layers.normalization: group_norm instance_norm
/contrib.layers.python.layers.optimizers: adaptive_clipping_fn optimize_loss
/contrib.layers.python.layers.regularizers: apply_regularization l1_l2_regularizer l1_regularizer
  l2_regularizer sum_regularizer
/contrib.layers.python.layers.rev_block_lib: RevBlock recompute_grad rev_block
/contrib.layers.python.layers.summaries: summarize_activation summarize_activations
  summarize_collection summarize_tensor summarize_tensors
/contrib.layers.python.layers.target_column: ProblemType binary_svm_target
  get_default_binary_metrics_for_eval multi_class_target regression_target
/contrib.layers.python.ops.bucketization_op: bucketize
/contrib.layers.python.ops.sparse_feature_cross_op: sparse_feature_cross
feature_column.feature_column: InputLayer
util.all_util: make_all
util.deprecation: deprecated deprecated_arg_values
''',
    'contrib.staging': '''
ops.data_flow_ops: StagingArea
''',
    'contrib.summary': '''
ops.summary_ops_v2: SummaryWriter all_summary_ops=all_v2_summary_ops always_record_summaries audio
  create_db_writer create_file_writer create_summary_file_writer eval_dir flush generic graph
  histogram image import_event initialize never_record_summaries
  record_summaries_every_n_global_steps scalar should_record_summaries
  summary_writer_initializer_op
''',
    'contrib.training': '''
/contrib.training.python.training.bucket_ops: bucket bucket_by_sequence_length
/contrib.training.python.training.device_setter: GreedyLoadBalancingStrategy RandomStrategy
  byte_size_load_fn
/contrib.training.python.training.evaluation: SummaryAtEndHook checkpoints_iterator
  evaluate_repeatedly wait_for_new_checkpoint
/contrib.training.python.training.hparam: HParams parse_values
/contrib.training.python.training.resample: resample_at_rate weighted_resample
/contrib.training.python.training.sampling_ops: rejection_sample stratified_sample
/contrib.training.python.training.sequence_queueing_state_saver: NextQueuedSequenceBatch
  SequenceQueueingStateSaver batch_sequences_with_states
/contrib.training.python.training.training: add_gradients_summaries clip_gradient_norms
  clip_gradient_norms_fn create_train_op multiply_gradients train
training.evaluation: StopAfterNEvalsHook=_StopAfterNEvalsHook evaluate_once=_evaluate_once
  get_or_create_eval_step=_get_or_create_eval_step
''',
}

# Namespaces that are modules of their own.
MODULES = {
    'contrib.learn.datasets': 'contrib.learn.python.learn.datasets',
    'contrib.framework.nest': 'python.util.nest',
    'contrib.bayesflow.monte_carlo': 'contrib.bayesflow.python.ops.monte_carlo',
    'contrib.layers.feature_column': 'contrib.layers.python.layers.feature_column',
    'contrib.layers.summaries': 'contrib.layers.python.layers.summaries',
    'contrib.losses.metric_learning': 'contrib.losses.python.metric_learning',
    'contrib.slim.bucketization_op': 'contrib.layers.python.ops.bucketization_op',
    'contrib.slim.checkpoint_utils': 'contrib.framework.python.framework.checkpoint_utils',
    'contrib.slim.contrib_framework': 'contrib.framework',
    'contrib.slim.contrib_sparse_ops': 'contrib.layers.python.ops.sparse_ops',
    'contrib.slim.contrib_variables': 'contrib.framework.python.ops.variables',
    'contrib.slim.data_decoder': 'contrib.slim.python.slim.data.data_decoder',
    'contrib.slim.data_provider': 'contrib.slim.python.slim.data.data_provider',
    'contrib.slim.dataset': 'contrib.slim.python.slim.data.dataset',
    'contrib.slim.dataset_data_provider': 'contrib.slim.python.slim.data.dataset_data_provider',
    'contrib.slim.embedding_ops': 'contrib.layers.python.layers.embedding_ops',
    'contrib.slim.encoders': 'contrib.layers.python.layers.encoders',
    'contrib.slim.evaluation': 'contrib.slim.python.slim.evaluation',
    'contrib.slim.fc': 'contrib.layers.python.layers.feature_column',
    'contrib.slim.feature_column': 'contrib.layers.python.layers.feature_column',
    'contrib.slim.feature_column_ops': 'contrib.layers.python.layers.feature_column_ops',
    'contrib.slim.gen_sparse_feature_cross_op': 'contrib.layers.ops.gen_sparse_feature_cross_op',
    'contrib.slim.initializers': 'contrib.layers.python.layers.initializers',
    'contrib.slim.layers': 'contrib.layers.python.layers.layers',
    'contrib.slim.learning': 'contrib.slim.python.slim.learning',
    'contrib.slim.loader': 'contrib.util.loader',
    'contrib.slim.lookup': 'contrib.lookup',
    'contrib.slim.loss_ops': 'contrib.losses.python.losses.loss_ops',
    'contrib.slim.losses': 'contrib.losses',
    'contrib.slim.metric_ops': 'contrib.metrics.python.ops.metric_ops',
    'contrib.slim.metrics': 'contrib.metrics',
    'contrib.slim.model_analyzer': 'contrib.slim.python.slim.model_analyzer',
    'contrib.slim.normalization': 'contrib.layers.python.layers.normalization',
    'contrib.slim.optimizers': 'contrib.layers.python.layers.optimizers',
    'contrib.slim.parallel_reader': 'contrib.slim.python.slim.data.parallel_reader',
    'contrib.slim.prefetch_queue': 'contrib.slim.python.slim.data.prefetch_queue',
    'contrib.slim.queues': 'contrib.slim.python.slim.queues',
    'contrib.slim.regularizers': 'contrib.layers.python.layers.regularizers',
    'contrib.slim.rev_block_lib': 'contrib.layers.python.layers.rev_block_lib',
    'contrib.slim.sparse_feature_cross_op': 'contrib.layers.python.ops.sparse_feature_cross_op',
    'contrib.slim.summaries': 'contrib.slim.python.slim.summaries',
    'contrib.slim.target_column': 'contrib.layers.python.layers.target_column',
    'contrib.slim.tfexample_decoder': 'contrib.slim.python.slim.data.tfexample_decoder',
    'contrib.slim.utils': 'contrib.layers.python.layers.utils',
}

# Modules of several of TensorFlow's: package: {own module: names}.
_TOGETHER = {
    'contrib.distributions.python.ops': {
        '_categories': 'onehot_categorical relaxed_bernoulli relaxed_onehot_categorical',
        '_counting': 'binomial geometric negative_binomial poisson',
        '_gammas': 'chi2 inverse_gamma',
        '_loc_scale': 'cauchy half_normal logistic',
        'mixtures': 'mixture mixture_same_family',
        'mvn': 'mvn_diag mvn_full_covariance mvn_tril',
    },
    'contrib.distributions.python.ops.bijectors': {
        'elementwise': ('absolute_value affine_scalar exp gumbel power_transform sigmoid '
                        'sinh_arcsinh softplus softsign square'),
        'structure': 'chain inline invert permute reshape softmax_centered',
    },
    'contrib.metrics.python.ops': {'/python.ops.sets_impl': 'set_ops'},
    'contrib.seq2seq.python.ops': {'/contrib.seq2seq.ops.gen_beam_search_ops': 'beam_search_ops'},
}
for _package, _modules in _TOGETHER.items():
    for _own, _names in _modules.items():
        for _name in _names.split():
            MODULES['%s.%s' % (_package, _name)] = (
                _own[1:] if _own[0] == '/' else '%s.%s' % (_package, _own))
