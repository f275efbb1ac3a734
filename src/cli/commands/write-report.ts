import { pathToFileURL } from 'node:url'
import type { Command } from 'commander'
import { embeddingsOption, meteorDataOption } from '../../config.js'
import { projectFile, VERSION } from '../../project.js'
import { type DatasetOptions, withDataset } from '../accord.js'
import { executeOn } from '../ask-server.js'
import { datasetOption, example } from '../options.js'
import { outOption } from '../output/output.js'
import { checkOutput, writeText } from '../output/output-file.js'
import { withProgress } from '../output/progress.js'

interface Options extends DatasetOptions {
  readonly out: string
}

/** What the report needs of `dist/report/report.js`, which is built from the pages of the dashboard. */
interface Renderer {
  renderReport(input: {
    readonly dataset: string
    readonly date: string
    readonly version: string
    ask(question: { readonly document: string; readonly variables: object }): Promise<unknown>
  }): Promise<string>
}

/** `accord report` */
export function registerReport(program: Command): void {
  program
    .command('report')
    .summary('the pages of a dataset as one HTML file')
    .description(
      'Write leaderboards, words, agreement, systems with their best and worst images, and metrics as one HTML file, which' +
        ' needs no server, loads nothing and can be printed.',
    )
    .addOption(datasetOption())
    .addOption(outOption('the HTML (required)').makeOptionMandatory())
    .addOption(meteorDataOption())
    .addOption(embeddingsOption())
    .addHelpText('after', example('accord report --dataset coco --out report.html'))
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      checkOutput(options.out)
      await withDataset(options, async (accord, dataset) => {
        const { serve } = await import('../../api/server/server.js')
        const { renderReport }: Renderer = await import(
          pathToFileURL(projectFile('dist/report/report.js')).href
        )
        const server = await serve(accord, {
          host: '127.0.0.1',
          port: 0,
          changes: 'NONE',
          uploadLimit: '1mb',
          submissionLimit: '1mb',
        })
        try {
          const html = await withProgress((progress) => {
            let asked = 0
            return renderReport({
              dataset: dataset.name,
              date: new Date().toISOString().slice(0, 10),
              version: VERSION,
              async ask({ document, variables }) {
                progress(1 - 1 / (1 + asked++ / 4), 'computing')
                const at = { server: new URL('.', server.url).href }
                const { data, errors } = (await executeOn(at, document, variables)).content
                // A part that failed leaves the rest.
                if (data == null) throw new Error(errors?.[0].message)
                return data
              },
            })
          })
          await writeText(options.out, await withPictures(html, new URL('.', server.url)))
        } finally {
          await server.close()
        }
      })
    })
}

/** Puts the pictures into a document. Those that the server has no more are left out. @param server whose pictures it shows */
async function withPictures(html: string, server: URL): Promise<string> {
  const pattern = /(<img[^>]* src=")(pictures\/[^"]+)"/g
  const contents = new Map<string, string>()
  for (const [, , path] of html.matchAll(pattern)) {
    if (contents.has(path)) continue
    const answer = await fetch(new URL(path, server))
    const content = Buffer.from(await answer.arrayBuffer()).toString('base64')
    contents.set(path, answer.ok ? `data:${answer.headers.get('content-type')};base64,${content}` : '')
  }
  return html.replace(pattern, (_all, start: string, path: string) => `${start}${contents.get(path)}"`)
}
