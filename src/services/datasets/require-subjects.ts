import { AccordError, wasRemoved } from '../../errors.js'
import { findDatasets } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System, SystemKind } from '../../store/schema/system-tables.js'
import { findSystems } from '../../store/systems.js'

/** The dataset of a job. @throws AccordError UNKNOWN_DATASET if it was removed */
export async function requireDatasetById(session: Session, id: number): Promise<Dataset> {
  const [dataset] = await findDatasets(session, [id])
  if (dataset) return dataset
  throw wasRemoved('dataset')
}

/** The system of a job. @throws AccordError UNKNOWN_SYSTEM if it was removed */
export async function requireSystemById(session: Session, id: number): Promise<System> {
  const [system] = await findSystems(session, [id])
  if (system) return system
  throw wasRemoved('system')
}

/** @param source what names the dataset @throws AccordError NOT_APPLICABLE unless people have written captions of its images */
export function requireHumanCaptions({ captionsPerImage }: Dataset, source = 'dataset'): void {
  if (captionsPerImage > 0) return
  throw new AccordError('NOT_APPLICABLE', 'the dataset has no human captions', {
    source,
    expected: 'a dataset with captions',
    found: 'none',
  })
}

const CONTENTS: Readonly<Record<SystemKind, string>> = {
  CAPTIONS: 'captions',
  WORD_SCORES: 'word scores',
  DESCRIPTIONS: 'descriptions of boxes',
}

/** @throws AccordError NOT_APPLICABLE unless the system is a captioning system */
export function requireCaptions({ name, kind }: System): void {
  if (kind === 'CAPTIONS') return
  throw new AccordError('NOT_APPLICABLE', 'caption metrics require captions', {
    source: 'system',
    expected: 'a captioning system',
    found: `${JSON.stringify(name)}, a system of ${CONTENTS[kind]}`,
  })
}
