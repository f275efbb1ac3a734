import type { AnyVariables } from '@urql/core'
import type { Answer } from '../app/client'
import type { TypedDocumentString } from '../generated/documents'

/** Takes the place of `app/client.ts` in a report: pages are rendered with the answers that are there. */

/** A report has no query editor. */
export const EXPLORER = null

/** What a page asked for and did not get. */
export interface Question {
  readonly document: string
  readonly variables: object
}

const answers = new Map<string, unknown>()
const questions = new Map<string, Question>()

const keyOf = ({ document, variables }: Question) => JSON.stringify([document, variables])

/** What pages have asked for since the last call, and did not get. */
export function takeQuestions(): Question[] {
  const taken = [...questions.values()]
  questions.clear()
  return taken
}

export function setAnswer(question: Question, data: unknown): void {
  answers.set(keyOf(question), data)
}

export function useQuery<Data, Variables extends AnyVariables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables | null,
  _policy?: string,
): Answer<Data> {
  const nothing = () => {}
  const idle = { isLoading: false, isCancelled: false, reload: nothing, cancel: nothing }
  if (variables === null) return idle
  const question = { document: document.toString(), variables: variables as object }
  const key = keyOf(question)
  if (answers.has(key)) return { ...idle, data: answers.get(key) as Data }
  questions.set(key, question)
  return { ...idle, isLoading: true }
}

/** No button calls it. */
export function ask(): never {
  throw new Error('nothing is asked from a report')
}
