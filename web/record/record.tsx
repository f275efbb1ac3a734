import { createRequest } from '@urql/core'
import { type ComponentChild, options, toChildArray, type VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { answerFile } from '../app/answer-file'
import { findRoute } from '../app/routes'
import { type Question, setAnswer, takeQuestions } from '../report/client'
import { takeAddresses, visit } from './router'

/** What the API answers. */
export interface Answer {
  readonly data?: unknown
}

export interface Recording {
  /** What the page asked for and no page before it did, by the name of the file that `app/transport.ts` reads. */
  readonly answers: ReadonlyMap<string, Answer>
  /** Addresses that its links and its controls lead to. */
  readonly addresses: readonly string[]
}

/**
 * Draws the page of an address until it asks for nothing more, and tries every choice of its controls; on the pages of words,
 * which are a thousand, one at a time.
 *
 * @returns undefined if no page has the address
 */
export async function recordPage(
  address: string,
  ask: (question: Question) => Promise<Answer>,
): Promise<Recording | undefined> {
  const { pathname, search } = visit(address)
  const found = findRoute(pathname.slice(1))
  if (!found) return undefined
  const { route, parameters } = found
  if (route.isLive) return { answers: new Map(), addresses: [] }
  const { default: Page } = await route.load()
  const answers = new Map<string, Answer>()
  for (;;) {
    controls.length = 0
    renderToString(<Page {...parameters} />)
    const questions = takeQuestions()
    if (questions.length === 0) break
    for (const question of questions) {
      const answer = await ask(question)
      setAnswer(question, answer.data ?? undefined)
      answers.set(answerFile(createRequest(question.document, question.variables)), answer)
    }
  }
  if (search !== '' && parameters.word !== undefined) return { answers, addresses: [] }
  for (const { type, props } of controls) {
    for (const value of type === 'select' ? choicesOf(props.children) : range(props))
      props.onChange?.({ currentTarget: { value } })
  }
  return { answers, addresses: takeAddresses() }
}

interface ControlProps {
  readonly children?: ComponentChild
  readonly value?: unknown
  readonly disabled?: boolean
  readonly min?: number
  readonly max?: number
  readonly onChange?: (event: { readonly currentTarget: { readonly value: string } }) => void
}

const controls: VNode<ControlProps>[] = []

options.vnode = (vnode: VNode) => {
  const { type, props } = vnode as VNode<{ type?: string }>
  if (type === 'select' || (type === 'input' && props.type === 'range')) controls.push(vnode)
}

function choicesOf(children: ComponentChild): string[] {
  return toChildArray(children).flatMap((child) => {
    const { props } = child as VNode<ControlProps>
    return props.disabled ? [] : [String(props.value ?? toChildArray(props.children).join(''))]
  })
}

function range({ min = 0, max = 0 }: ControlProps): string[] {
  return Array.from({ length: max - min + 1 }, (_, index) => String(min + index))
}
