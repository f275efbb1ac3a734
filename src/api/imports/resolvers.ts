import { requireUser } from '../../services/accounts/viewer.js'
import { findDatasetOf, requireDataset } from '../../services/datasets/datasets.js'
import { startFilesImport } from '../../services/imports/dropped-files.js'
import type { JobInput } from '../../services/shared/job-kinds.js'
import type { FileSource } from '../../services/uploads/import-job.js'
import { type ImportName, recognizeUpload, startImport } from '../../services/uploads/imports.js'
import { newUploadId, readUploads, removeUpload } from '../../services/uploads/uploads.js'
import type { Match } from '../../shared/choices.js'
import { toAtomKind } from '../bounds/models.js'
import { connectRows } from '../shared/connection.js'
import type { Context } from '../shared/context.js'
import { asData, asJob, asRemoval } from '../shared/mutation-error.js'
import type * as schema from '../shared/schema-types.js'

/** Starts an import as a new dataset, or of no dataset. */
function start<Name extends ImportName>({ accord, client }: Context, kind: Name, input: JobInput<Name>) {
  return asJob(() => startImport(accord, kind, input, client))
}

/** Starts an import into an existing dataset. */
function startInto<Name extends ImportName>(
  { accord, client }: Context,
  kind: Name,
  dataset: string,
  input: (datasetId: number) => JobInput<Name>,
) {
  return asJob(async () =>
    startImport(accord, kind, input((await requireDataset(accord, dataset)).id), client),
  )
}

/** The source of a file that may be absent. */
function sourceOf(upload: string | null | undefined): FileSource | undefined {
  return upload == null ? undefined : { upload }
}

/** The names that are given. */
function toColumns<Columns extends object>(
  columns: Columns | null | undefined,
): NamedColumns<Columns> | undefined {
  if (columns == null) return undefined
  const given = Object.entries(columns).filter(([, name]) => name != null)
  return Object.fromEntries(given) as NamedColumns<Columns>
}

/** Columns without null, which stands for the default. */
type NamedColumns<Columns> = { readonly [Name in keyof Columns]?: NonNullable<Columns[Name]> }

/** A rule by its name in the schema. */
function toMatch(name: schema.ImageMatch | null | undefined): Match | undefined {
  return name == null ? undefined : (name.toLowerCase() as Match)
}

export const Query: schema.QueryResolvers = {
  async recognizedFile(_parent, { upload }, { accord, client, inTurn }) {
    return inTurn(() => recognizeUpload(accord, upload, client))
  },

  async uploads(_parent, page, { accord, client, viewer }) {
    requireUser(viewer)
    const { isAdministrator } = viewer
    const uploads = readUploads(accord, { owner: client.owner ?? '', isAdministrator })
    return connectRows(uploads, ({ id }) => id, page)
  },
}

export const RecognizedFile: schema.RecognizedFileResolvers = {
  dataset: ({ content }, _args, { accord }) => findDatasetOf(accord, content?.images ?? []),
}

export const Upload: schema.UploadResolvers = {
  user: ({ userName }) => (userName === null ? null : { name: userName }),
}

export const Mutation: schema.MutationResolvers = {
  createUpload: (_parent, { input: { fileName } }, { fileRules }) =>
    asData('CreateUploadSuccess', async () => {
      const upload = newUploadId()
      const url = `uploads?${new URLSearchParams({ id: upload, filename: fileName })}`
      return { upload, url, method: 'POST', contentType: 'application/octet-stream', ...fileRules }
    }),

  removeUpload: (_parent, { input: { upload } }, { accord, client, viewer }) =>
    asRemoval(async () => {
      const { isAdministrator } = viewer
      await removeUpload(accord, { owner: client.owner ?? '', isAdministrator }, upload)
      return upload
    }),

  importFiles: (_parent, { input }, { accord, client }) =>
    asJob(() =>
      startFilesImport(
        accord,
        {
          dataset: input.dataset,
          files: input.files.map(({ upload, content, system, columns, match, isPartial }) => ({
            file: { upload },
            content,
            system: system ?? undefined,
            columns: toColumns(columns),
            match: toMatch(match),
            isPartial: isPartial ?? undefined,
          })),
          isReplaced: input.isReplaced ?? undefined,
          isPrivate: input.isPrivate ?? undefined,
          metrics: input.metrics ?? undefined,
        },
        client,
      ),
    ),

  importCaptions: (_parent, { input }, context) =>
    start(context, 'importCaptions', {
      dataset: input.dataset,
      file: { upload: input.upload },
      imageIds: sourceOf(input.imageIds),
      columns: toColumns(input.columns),
      split: input.split ?? undefined,
      language: input.language ?? undefined,
      tokenizer: input.tokenizer ?? undefined,
      more: input.moreUploads?.map((id) => ({ upload: id })),
      captionsPerImage: input.captionsPerImage ?? undefined,
      vocabulary: sourceOf(input.vocabulary),
      isPrivate: input.isPrivate ?? undefined,
    }),

  importVocabulary: (_parent, { input: { dataset, upload } }, context) =>
    startInto(context, 'importVocabulary', dataset, (datasetId) => ({ datasetId, file: { upload } })),

  importResults: (_parent, { input }, context) =>
    startInto(context, 'importResults', input.dataset, (datasetId) => ({
      datasetId,
      file: { upload: input.upload },
      imageIds: sourceOf(input.imageIds),
      system: input.system,
      isMissingAllowed: input.isMissingAllowed ?? false,
      isExtraAllowed: input.isExtraAllowed ?? false,
      isMarkupStripped: input.isMarkupStripped ?? false,
      match: toMatch(input.match),
      columns: toColumns(input.columns),
      evaluate: true,
    })),

  importWordScores: (_parent, { input }, context) =>
    startInto(context, 'importWordScores', input.dataset, (datasetId) => ({
      datasetId,
      file: { upload: input.upload },
      system: input.system,
      vocabulary: sourceOf(input.vocabulary),
      imageIds: sourceOf(input.imageIds),
      isMissingAllowed: input.isMissingAllowed ?? false,
    })),

  importBoxes: (_parent, { input: { dataset, upload, isPrivate } }, context) =>
    start(context, 'importBoxes', { dataset, file: { upload }, isPrivate: isPrivate ?? undefined }),

  importObjects: (_parent, { input: { dataset, upload } }, context) =>
    startInto(context, 'importObjects', dataset, (datasetId) => ({ datasetId, file: { upload } })),

  importDescriptions: (_parent, { input: { dataset, system, upload, isMissingAllowed } }, context) =>
    startInto(context, 'importDescriptions', dataset, (datasetId) => ({
      datasetId,
      file: { upload },
      system,
      isMissingAllowed: isMissingAllowed ?? false,
    })),

  importJudgements: (_parent, { input: { dataset, upload, captions, isPrivate, match, columns } }, context) =>
    start(context, 'importJudgements', {
      dataset,
      file: { upload },
      captions: sourceOf(captions),
      isPrivate: isPrivate ?? undefined,
      match: toMatch(match),
      columns: toColumns(columns),
    }),

  importMetricScores: (_parent, { input }, context) =>
    startInto(context, 'importMetricScores', input.dataset, (datasetId) => ({
      datasetId,
      file: { upload: input.upload },
      system: input.system ?? undefined,
      match: toMatch(input.match),
      columns: toColumns(input.columns),
      metric: {
        name: input.metric,
        version: input.version ?? undefined,
        lowest: input.lowest ?? undefined,
        highest: input.highest ?? undefined,
        higherIsBetter: input.isHigherBetter ?? undefined,
      },
    })),

  importVotes: (_parent, { input: { dataset, upload, kind, voterCount } }, context) =>
    startInto(context, 'importVotes', dataset, (datasetId) => ({
      datasetId,
      file: { upload },
      kind: kind ? toAtomKind(kind) : undefined,
      people: voterCount ?? undefined,
    })),

  importArtefact: (_parent, { input: { upload } }, context) =>
    start(context, 'importArtefact', { file: { upload } }),

  importBound: (_parent, { input: { dataset, upload } }, context) =>
    startInto(context, 'importBound', dataset, (datasetId) => ({ datasetId, file: { upload } })),
}
