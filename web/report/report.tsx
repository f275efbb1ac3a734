import { type ComponentType, Fragment, options, type VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { grouped as count, counted } from '../../src/shared/numbers'
import { systemOf } from '../app/subject'
import { ReportDocument, type ReportQuery } from '../generated/documents'
import Agreement from '../pages/agreement'
import Leaderboard from '../pages/leaderboard'
import Metrics from '../pages/metrics'
import System from '../pages/system'
import Words from '../pages/words'
import dashboardStyle from '../style.css?raw'
import { type Question, setAnswer, takeQuestions } from './client'
import type { Parameters } from './router'
import reportStyle from './style.css?raw'

export { renderCoverage } from './coverage-picture'

export interface ReportInput {
  readonly dataset: string
  /** For example 2026-01-31. */
  readonly date: string
  /** Of Accord. */
  readonly version: string
  /** Executes a document of the API. @returns its data */
  ask(question: Question): Promise<unknown>
}

/** Systems whose pages are shown: the best ones. */
const MAX_SYSTEMS = 3

/** The pages of a dataset as one document, without scripts and links. */
export async function renderReport({ dataset, date, version, ask }: ReportInput): Promise<string> {
  const variables = { dataset }
  const { dataset: data } = (await ask({ document: ReportDocument.toString(), variables })) as ReportQuery
  const systems = bestFirst(data)
  const others = systems.slice(MAX_SYSTEMS)
  const sections: [ComponentType<Parameters>, Parameters][] = [
    [Leaderboard, variables],
    [Words, variables],
    [Agreement, variables],
    ...systems
      .slice(0, MAX_SYSTEMS)
      .map((name): [ComponentType<Parameters>, Parameters] => [System, { dataset, system: name }]),
    [Metrics, {}],
  ]
  const page = (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>{`${dataset} · Accord`}</title>
        <style dangerouslySetInnerHTML={{ __html: dashboardStyle + reportStyle }} />
      </head>
      <body>
        <main>
          <h1 class="title">{dataset}</h1>
          <p class="lede">
            {counted(data?.imageCount ?? 0, 'image')}, {count(data?.captionCount ?? 0)} captions by people,{' '}
            {counted(data?.systems?.totalCount ?? 0, 'system')}. Written by Accord {version} on {date}.
            {others.length > 0 &&
              ` The ${MAX_SYSTEMS} best captioning systems by CIDEr-D have pages of their own; ${others.join(', ')} ${others.length === 1 ? 'is' : 'are'} in the tables.`}
          </p>
          {sections.map(([Section, parameters]) => (
            <section key={JSON.stringify(parameters)} class="part">
              <Section {...parameters} />
            </section>
          ))}
        </main>
      </body>
    </html>
  )
  for (;;) {
    const text = renderToString(page)
    const questions = takeQuestions()
    if (questions.length === 0) return `<!doctype html>\n${text}\n`
    for (const question of questions) setAnswer(question, await ask(question))
  }
}

/** The names of the systems with captions, best first by CIDEr-D, and those without a score at the end. */
function bestFirst(data: ReportQuery['dataset']): string[] {
  const rows = data?.leaderboards?.flatMap((board) => board.rows?.nodes ?? []) ?? []
  const ranked = rows.flatMap(({ subject }) => systemOf(subject) ?? [])
  const all = (data?.systems?.nodes ?? []).flatMap(({ name, kind }) => (kind === 'CAPTIONS' ? [name] : []))
  return [...ranked.filter((name) => all.includes(name)), ...all.filter((name) => !ranked.includes(name))]
}

const Nothing = () => null

/** Headings are below that of the report. What only a script can do is left out. */
options.vnode = (vnode: VNode) => {
  const { type, props } = vnode as VNode<{ class?: string }>
  if (type === 'button') vnode.type = props.class === 'plain' ? Fragment : Nothing
  else if (props.class?.split(' ').includes('chart')) {
    // On a telephone it is as wide as on paper.
    Object.assign(props, { class: `${props.class} scroll`, tabIndex: 0 })
  } else if (props.class === 'controls' || props.class?.includes('consent')) vnode.type = Nothing
  // Settings of a page, which a document has not.
  else if (type === 'a') vnode.type = Fragment
  else if (type === 'h3') vnode.type = 'h4'
  else if (type === 'h2') vnode.type = 'h3'
  else if (type === 'h1' && props.class !== 'title') vnode.type = 'h2'
}
