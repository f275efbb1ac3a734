/** The content hashes of stored datasets and systems; an older version did not compute them at import. */

import { createDatasetHash, createResultsHash, createScoresHash } from '../../compute/content-hash.js'
import { saveRevision } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { listImageIds, readImportedCaptions } from '../../store/images.js'
import type { Dataset, System } from '../../store/schema/entities.js'
import { finishSystem, readImportedResults } from '../../store/systems.js'
import { readWordScores } from '../../store/word-scores.js'
import { listWords } from '../../store/words.js'

/** Images whose captions are read at once. */
const IMAGES_PER_READ = 8192

/** Words whose scores are read at once. */
const WORDS_PER_READ = 20

/** The content hash of a dataset. That of a dataset which an older version imported is computed, and stored. */
export async function requireRevision(session: Session, dataset: Dataset): Promise<string> {
  if (dataset.revision !== null) return dataset.revision
  const revision = await hashStoredDataset(session, dataset)
  await saveRevision(session, dataset.id, revision)
  return revision
}

/** The content hash of a captioning system or one with word scores. That of an older version is computed, and stored. */
export async function requireContent(session: Session, system: System): Promise<string> {
  if (system.content !== null) return system.content
  const content =
    system.kind === 'WORD_SCORES'
      ? await hashStoredScores(session, system)
      : await hashStoredResults(session, system.id)
  await finishSystem(session, system.id, { content })
  return content
}

async function hashStoredDataset(session: Session, { id, captionsPerImage }: Dataset): Promise<string> {
  const content = createDatasetHash()
  const imageIds = await listImageIds(session, id)
  for (let start = 0; start < imageIds.length; start += IMAGES_PER_READ) {
    const last = imageIds[Math.min(start + IMAGES_PER_READ, imageIds.length) - 1]
    const rows = await readImportedCaptions(session, id, { first: imageIds[start], last })
    for (let from = 0, to = 0; from < rows.length; from = to) {
      while (to < rows.length && rows[to].imageId === rows[from].imageId) to++
      const captions = rows
        .slice(from, to)
        .flatMap(({ externalId, text }) =>
          externalId === null || text === null ? [] : [{ externalId, text }],
        )
      content.addImage(rows[from].imageExternalId, captions)
    }
  }
  return content.digest(captionsPerImage)
}

async function hashStoredResults(session: Session, systemId: number): Promise<string> {
  const content = createResultsHash()
  for (let after = 0; ; ) {
    const rows = await readImportedResults(session, systemId, after)
    if (rows.length === 0) return content.digest()
    for (const { imageExternalId, text } of rows) content.addCaption(imageExternalId, text)
    after = rows[rows.length - 1].imageId
  }
}

async function hashStoredScores(session: Session, { id, datasetId }: System): Promise<string> {
  const [firstImageId = 0] = await listImageIds(session, datasetId)
  const content = createScoresHash(firstImageId)
  const words = await listWords(session, datasetId, {})
  for (let start = 0; start < words.length; start += WORDS_PER_READ) {
    const some = words.slice(start, start + WORDS_PER_READ)
    const scores = await readWordScores(
      session,
      id,
      some.map((word) => word.id),
    )
    for (const word of some) {
      const stored = scores.get(word.id)
      if (stored) content.addWord(word.text, stored)
    }
  }
  return content.digest()
}
