import { type AtomExtractor, createAtomCounter, createAtomExtractor } from '../../core/bounds/atoms.js'
import { createLemmatizer } from '../../core/text/lemmatizer.js'
import { sequence } from '../../core/text/sequences.js'
import { createPennTagger } from '../../core/text/tagger.js'
import { readLexicon, readTaggerModel } from '../../formats/english/english.js'
import { readVoteFile, type VoteFileOptions } from '../../formats/words/atom-files.js'
import type { Progress } from '../../progress.js'
import type { Handler } from '../../queue/kind.js'
import { saveAtoms, saveVotes } from '../../store/atoms.js'
import type { Session } from '../../store/engine/session.js'
import { readReferenceCaptions } from '../../store/images.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { readTokenTexts } from '../../store/tokens.js'
import { requireDatasetById } from '../datasets/require-subjects.js'
import { requireEnglish } from '../shared/tokens.js'
import { type FileSource, importJob } from '../uploads/import-job.js'

/** Captions between two reports of progress. */
const CAPTIONS_PER_REPORT = 1000

let extractor: AtomExtractor | undefined

/** The extractor of atoms of this process. @throws AccordError RESOURCE_MISSING if the package has not been built */
export function openAtomExtractor(): AtomExtractor {
  if (extractor === undefined) {
    const lexicon = readLexicon()
    extractor = createAtomExtractor(createPennTagger(readTaggerModel(), lexicon), createLemmatizer(lexicon))
  }
  return extractor
}

/** Counts the atoms of the human captions of a dataset and stores them. */
async function countAtoms(session: Session, dataset: Dataset, progress: Progress): Promise<void> {
  requireEnglish(dataset, 'atoms')
  progress(0, 'reading captions')
  const { sequences, firstCaption } = await readReferenceCaptions(session, dataset.id)
  const texts = await readTokenTexts(session)
  const atomsOf = openAtomExtractor()
  const counter = createAtomCounter()
  for (let image = 0; image + 1 < firstCaption.length; image++) {
    for (let caption = firstCaption[image]; caption < firstCaption[image + 1]; caption++) {
      if (caption % CAPTIONS_PER_REPORT === 0)
        progress((0.9 * caption) / dataset.captionCount, 'finding atoms')
      const words = Array.from(sequence(sequences, caption), (token) => texts[token])
      counter.add(image, atomsOf(words))
    }
  }
  progress(0.9, 'writing')
  await session.transaction((writer) => saveAtoms(writer, dataset.id, counter.list()))
  progress(1, 'done')
}

/** Counts the atoms of the human captions of a dataset, and stores them. */
export const countAtomsJob: Handler<{ readonly datasetId: number }, null> = async ({
  input,
  database,
  progress,
}) => {
  await countAtoms(database, await requireDatasetById(database, input.datasetId), progress)
  return null
}

export interface ImportVotesInput extends VoteFileOptions {
  readonly datasetId: number
  /** CSV of atoms with votes. */
  readonly file: FileSource
}

/** Stores the votes of a file whether atoms are visual. Fails with the errors of the reader. */
export const importVotesJob = importJob<ImportVotesInput, { readonly voteCount: number }>(
  async ({ finishWith }, { datasetId, file, ...options }) => {
    const votes = readVoteFile(file, options)
    return finishWith(async (session) => {
      await saveVotes(
        session,
        votes.map((vote) => ({ ...vote, datasetId })),
      )
      return { voteCount: votes.length }
    })
  },
)
