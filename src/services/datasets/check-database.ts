import { createDatasetHash, createResultsHash, hashText } from '../../compute/content-hash.js'
import { canonicalJson } from '../../core/metrics/provenance.js'
import { finishArtefact } from '../../formats/models/artefact-file.js'
import type { Progress } from '../../progress.js'
import { readComposites } from '../../store/artefacts.js'
import {
  checkEngine,
  checkRows,
  listCaptioningSystems,
  readCaptionedImages,
  readNamedCaptions,
  readProvenance,
} from '../../store/check.js'
import { listDatasets } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import type { Accord } from '../accord.js'

export interface DatabaseCheck {
  /** Rows that were compared with their checksums. */
  readonly rowCount: number
  /** What is damaged, in one line each; empty for an intact database. */
  readonly problems: readonly string[]
}

/**
 * Compares everything that figures are computed from, and the figures, with checksums and content hashes. It reads the whole
 * database, one part after the other, on one snapshot.
 */
export function checkDatabaseContent({ database }: Accord, progress: Progress): Promise<DatabaseCheck> {
  return database.snapshot(async (session) => {
    progress(0, 'checking the file')
    const problems = await checkEngine(session)
    let rowCount = 0
    for await (const check of checkRows(session)) {
      progress(0.2, `checking ${check.table}`)
      rowCount += check.rowCount
      if (check.damagedCount > 0) {
        problems.push(
          `${check.table}: ${check.damagedCount} rows differ from their checksums, first ${check.first}`,
        )
      }
    }
    progress(0.8, 'checking content hashes')
    // Content that differs from its checksum differs from its hash as well.
    if (problems.length === 0) for await (const problem of checkHashes(session)) problems.push(problem)
    return { rowCount, problems }
  })
}

async function* checkHashes(session: Session): AsyncGenerator<string> {
  for (const { id, name, captionsPerImage, revision } of await listDatasets(session)) {
    const content = createDatasetHash()
    for await (const { externalId, captions } of readCaptionedImages(session, id)) {
      content.addImage(externalId, captions)
    }
    if (content.digest(captionsPerImage) !== revision) yield differs(`dataset ${name}`)
  }
  for (const { id, name, content: expected } of await listCaptioningSystems(session)) {
    const content = createResultsHash()
    for (const { imageId, text } of await readNamedCaptions(session, id)) content.addCaption(imageId, text)
    if (content.digest() !== expected) yield differs(`system ${name}`)
  }
  for (const { header, weights, hash } of await readComposites(session)) {
    if (finishArtefact(header, weights).hash !== hash) yield differs(`trained metric ${header.name}`)
  }
  for (const { hash, record } of await readProvenance(session)) {
    if (hashOfRecord(record) !== hash) yield differs(`provenance ${hash}`)
  }
}

/** Null for a text that is not JSON. */
function hashOfRecord(record: string): string | null {
  try {
    return hashText(canonicalJson(JSON.parse(record)))
  } catch {
    return null
  }
}

function differs(what: string): string {
  return `${what}: the content differs from its hash`
}
