import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importCaptions, importDataset } from '../../src/services/datasets/import-captions.js'
import { withoutJob } from '../../src/services/uploads/import-job.js'
import { requireDataset } from '../../src/store/datasets.js'
import type { Session } from '../../src/store/engine/session.js'
import type { Dataset } from '../../src/store/schema/dataset-tables.js'
import { cocoCaptions, vocabulary } from '../kit/coco.js'
import { dump } from '../kit/dump.js'

/** The rows that a failed import must not change: all except tokens, which remain on PostgreSQL. */
export async function dumpContent(session: Session): Promise<Record<string, string[]>> {
  const { token: _token, ...content } = await dump(session)
  return content
}

type ById<Value> = Readonly<Record<string, Value>>

/** Imports the captions of each image, by image id; they may be empty. */
export async function importImages(
  session: Session,
  name: string,
  captionsOf: ById<readonly string[]>,
): Promise<Dataset> {
  const images = Object.entries(captionsOf).map(([externalId, captions]) => ({
    externalId,
    fileName: null,
    url: null,
    width: null,
    height: null,
    captions: captions.map((text, index) => ({ externalId: `${externalId}#${index}`, text })),
  }))
  await importDataset(
    withoutJob(session, () => {}),
    { dataset: name },
    images,
  )
  return requireDataset(session, name)
}

/** Like {@link importImages}, from files, with a vocabulary. */
export async function importWithVocabulary(
  session: Session,
  name: string,
  captionsOf: ById<readonly string[]>,
  partOfSpeechOf: ById<string>,
): Promise<Dataset> {
  const folder = mkdtempSync(join(tmpdir(), 'accord-import-'))
  const write = (file: string, content: string) => {
    writeFileSync(join(folder, file), content)
    return join(folder, file)
  }
  const input = {
    dataset: name,
    file: write('captions.json', JSON.stringify(cocoCaptions(captionsOf))),
    vocabulary: write('vocabulary.csv', vocabulary(partOfSpeechOf)),
  }
  await importCaptions(
    withoutJob(session, () => {}),
    input,
  )
  rmSync(folder, { recursive: true })
  return requireDataset(session, name)
}
