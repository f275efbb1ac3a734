import { nameOf } from '../../formats/io/files.js'
import { readArtefact } from '../../formats/models/artefact-file.js'
import { insertArtefact } from '../../store/artefacts.js'
import { checkFeatures, checkNewName } from '../composites/train-composite.js'
import { type FileSource, importJob } from './import-job.js'

export interface ImportArtefactInput {
  /** JSON of `accord artefacts export`. */
  readonly file: FileSource
}

export interface ImportArtefactReport {
  readonly artefactId: number
  readonly name: string
}

/** Stores a composite metric of a file. Fails with NAME_TAKEN; for a file that is not valid, or was edited. */
export const importArtefactJob = importJob<ImportArtefactInput, ImportArtefactReport>(
  async ({ threads, finishWith }, { file }) => {
    const composite = readArtefact(file)
    const { name, features } = composite.header
    const { registry } = await threads()
    checkNewName(registry, name, nameOf(file))
    checkFeatures(
      registry,
      features.map(({ metric }) => metric),
      nameOf(file),
    )
    return finishWith(async (session) => ({ artefactId: await insertArtefact(session, composite), name }))
  },
)
