import { readVoteFile, type VoteFileOptions } from '../../formats/words/votes.js'
import { saveVotes } from '../../store/atoms.js'
import { type FileSource, importJob } from './import-job.js'

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
