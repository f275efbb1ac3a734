import { AccordError, quote } from '../../errors.js'
import type { CollectionReport } from '../../services/collections/collection-report.js'
import * as collections from '../../services/collections/collections.js'
import * as loaders from '../loaders/challenges.js'
import { connect, connectByName, connectRows } from '../shared/connection.js'
import type { Context } from '../shared/context.js'
import { rowIdOf, toGlobalId } from '../shared/ids.js'
import { present } from '../shared/loader.js'
import { asData, asJob, asRemoval } from '../shared/mutation-error.js'
import type * as schema from '../shared/schema-types.js'

export type CollectionAgreementModel = Omit<CollectionReport, 'annotators'>

export const Query: schema.QueryResolvers = {
  collection: (_parent, { name }, { accord }) => collections.findCollection(accord, name),
  collections: (_parent, page, { accord }) => connectByName(collections.listCollections(accord), page),
  captionProblems: (_parent, { caption, ...task }, context) =>
    collections.captionProblems(context.accord, ownTask(context, task), caption),
}

export const Mutation: schema.MutationResolvers = {
  createCollection: (_parent, { input: { dataset, captionsPerImage, upload } }, { accord, viewer, client }) =>
    asJob(() =>
      collections.startCollection(
        accord,
        viewer,
        {
          dataset,
          captionsPerImage: captionsPerImage ?? DEFAULT_CAPTIONS_PER_IMAGE,
          ...(upload != null && { file: { upload } }),
        },
        client,
      ),
    ),

  takeTask: (_parent, { input: { collection, annotator } }, { accord, viewer }) =>
    asData('TakeTaskSuccess', () =>
      collections.takeTask(accord, { collection, annotator: collections.annotatorOf(viewer, annotator) }),
    ),

  submitCaption: (_parent, { input: { caption, ...task } }, context) =>
    asTask(context, task, (own) => collections.submitCaption(context.accord, own, caption)),

  skipTask: (_parent, { input }, context) =>
    asTask(context, input, async (own) => {
      await collections.skipTask(context.accord, own)
      return []
    }),

  reportTask: (_parent, { input: { remark, ...task } }, context) =>
    asTask(context, task, async (own) => {
      await collections.reportTask(context.accord, own, remark)
      return []
    }),

  finishCollection: (_parent, { input: { people, ...input } }, { accord, viewer, client }) =>
    asJob(() => collections.startFinish(accord, viewer, { ...input, people: people ?? undefined }, client)),

  removeCollection: (_parent, { input: { collection: name } }, { accord, viewer }) =>
    asRemoval(async () => toGlobalId('Collection', await collections.removeCollection(accord, viewer, name))),
}

const DEFAULT_CAPTIONS_PER_IMAGE = 5

/** The result of a mutation on a task. @param act returns what is wrong with a caption */
function asTask(
  context: Context,
  input: TaskInput,
  act: (own: collections.OwnTask) => Promise<readonly collections.ExplainedProblem[]>,
) {
  return asData('TaskSuccess', async () => {
    const own = ownTask(context, input)
    const problems = await act(own)
    return { task: await loaders.loadAnyTask(context, own.taskId).then(present), problems }
  })
}

/** A task by its opaque id. */
type TaskInput = Pick<schema.SkipTaskInput, 'task' | 'annotator'>

/** @throws AccordError UNKNOWN_TASK; errors of `annotatorOf` */
function ownTask({ viewer }: Context, { task, annotator }: TaskInput): collections.OwnTask {
  const taskId = rowIdOf('CollectionTask', task)
  if (taskId !== null) return { taskId, annotator: collections.annotatorOf(viewer, annotator) }
  throw new AccordError('UNKNOWN_TASK', 'unknown task', {
    source: 'task',
    expected: 'the id of a task',
    found: quote(task),
  })
}

export const Collection: schema.CollectionResolvers = {
  instructions: () => collections.TASK_INSTRUCTIONS.instructions,
  exampleCaptions: () => collections.TASK_INSTRUCTIONS.examples,
  state: ({ id }, _args, context) => loaders.loadState(context, id).then(present),
  async agreementSoFar(collection, _args, { accord, viewer, client, outside }) {
    const report = await outside(collections.reportCollection(accord, viewer, collection, client))
    return report.agreement.length === 0 ? null : report
  },
  images: (collection, page, { accord }) =>
    connect(collections.listCollectionImages(accord, collection), page),
  annotators: (collection, page, { accord, viewer, client, outside }) =>
    connectRows(
      outside(collections.reportCollection(accord, viewer, collection, client)).then(
        ({ annotators }) => annotators,
      ),
      ({ annotator }) => annotator,
      page,
    ),
  tasks: (collection, { filter, ...page }, { accord, viewer }) =>
    connect(collections.listTasks(accord, viewer, collection, { ...filter }), page),
}

export const Annotator: schema.AnnotatorResolvers = {
  user: ({ annotator }, _args, context) => loaders.loadUser(context, annotator),
  comparedCaptionCount: ({ agreement }) => agreement?.captionCount ?? 0,
  undefinedReason: ({ agreement }) => (agreement === null ? 'TOO_FEW_IMAGES' : agreement.undefinedReason),
  isLow: ({ agreement }) => agreement?.isLow ?? false,
}

export const CollectionImage: schema.CollectionImageResolvers = {
  picture: (image, _args, context) => loaders.loadCollectionPicture(context, image),
  datasetImage: ({ id }, _args, context) => loaders.loadDescribedImage(context, id),
}

export const CollectionTask: schema.CollectionTaskResolvers = {
  id: ({ id }) => toGlobalId('CollectionTask', id),
}
