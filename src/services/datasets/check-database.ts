import { createDatasetHash, createResultsHash, hashText } from '../../compute/content-hash.js'
import { canonicalJson } from '../../core/metrics/provenance.js'
import { AccordError } from '../../errors.js'
import { finishArtefact } from '../../formats/models/artefact-file.js'
import type { Progress } from '../../progress.js'
import * as store from '../../store/check.js'
import { withDatabase } from '../../store/database.js'
import { listDatasets } from '../../store/datasets.js'
import type { Database, Session } from '../../store/engine/session.js'
import { readComposites } from '../../store/metrics.js'
import type { Accord } from '../shared/accord.js'

export interface DatabaseCheck {
  /** The rows of all tables. */
  readonly rowCount: number
  /** What is damaged, in one line each; empty for an intact database. */
  readonly problems: readonly string[]
}

/**
 * Lets the engine check the file and the references between rows, and compares datasets, captioning systems, trained metrics
 * and records of how figures were made with their content hashes. It reads one part after the other, on one snapshot.
 */
export function checkDatabaseContent({ database }: Accord, progress: Progress): Promise<DatabaseCheck> {
  return database.snapshot(async (session) => {
    progress(0, 'checking the file')
    const problems = await store.checkEngine(session)
    // Rows of a damaged file may be unreadable, and their hashes differ anyway.
    if (problems.length > 0) return { rowCount: 0, problems }
    progress(0.5, 'checking content hashes')
    for await (const problem of checkHashes(session)) problems.push(problem)
    return { rowCount: await store.countRows(session), problems }
  })
}

/**
 * Gives the space of removed rows back to the disk of a SQLite file, which nobody else may use until then.
 *
 * @throws AccordError NOT_APPLICABLE for a database on PostgreSQL, or one that is read-only; errors of `compactFile`
 */
export async function compactDatabase(location: string): Promise<store.Compaction> {
  await withDatabase(location, { mustExist: true }, async (database) => requireCompactable(database))
  return store.compactFile(location)
}

/** @throws AccordError NOT_APPLICABLE */
export function requireCompactable({ engine, location, isReadOnly }: Database): void {
  if (engine === 'sqlite' && !isReadOnly) return
  throw new AccordError('NOT_APPLICABLE', 'the database cannot be compacted', {
    source: location,
    expected:
      'a SQLite file that can be written (PostgreSQL reuses space by itself; VACUUM FULL is for its operator)',
    found: engine === 'sqlite' ? 'a read-only file' : 'PostgreSQL',
  })
}

async function* checkHashes(session: Session): AsyncGenerator<string> {
  for (const { id, name, captionsPerImage, revision } of await listDatasets(session)) {
    const content = createDatasetHash()
    for await (const { externalId, captions } of store.readCaptionedImages(session, id)) {
      content.addImage(externalId, captions)
    }
    if (content.digest(captionsPerImage) !== revision) yield differs(`dataset ${name}`)
  }
  for (const { id, name, content: expected } of await store.listCaptioningSystems(session)) {
    const content = createResultsHash()
    for (const { imageId, text } of await store.readNamedCaptions(session, id))
      content.addCaption(imageId, text)
    if (content.digest() !== expected) yield differs(`system ${name}`)
  }
  for (const { header, weights, hash } of await readComposites(session)) {
    if (finishArtefact(header, weights).hash !== hash) yield differs(`trained metric ${header.name}`)
  }
  for (const { hash, record } of await store.readProvenance(session)) {
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
