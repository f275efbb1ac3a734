import { basename, dirname, extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Command, Option } from 'commander'
import { collectList, embeddingsOption, imagesOption, meteorDataOption, parseText } from '../../config.js'
import { nullFor } from '../../errors.js'
import type { Progress } from '../../progress.js'
import { projectFile, VERSION } from '../../project.js'
import type { Accord } from '../../services/shared/accord.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { DatasetOptions } from '../accord.js'
import { executeOn } from '../ask-server.js'
import type { CaptionFileOptions } from '../files.js'
import { datasetOption, documentFrequenciesOption, example, metricsOption } from '../options.js'
import { FRACTIONS, PERCENTAGES } from '../output/formats.js'
import { formatOfName, outOption, percentOption } from '../output/output.js'
import { checkOutput, forceOption, STDOUT, writeParts, writeText } from '../output/output-file.js'
import { remark, withProgress } from '../output/progress.js'
import { toBibtex } from '../output/section.js'
import { takesFiles, withDatasetOrFiles } from '../report-command.js'
import { drawCoverage } from './coverage.js'

interface Options extends DatasetOptions, CaptionFileOptions {
  readonly latex?: true
  readonly markdown?: true
  readonly out?: string
  readonly force?: true
  readonly system?: readonly string[]
  readonly metrics?: readonly string[]
  readonly documentFrequencies?: string
  readonly bold: 'best' | 'tied'
  readonly percent?: true
  readonly allowMissing?: true
  readonly allowExtra?: true
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

/** Metrics of the table of a section, as far as the captions have them. */
const SECTION_METRICS = ['BLEU-4', 'ROUGE-L', 'METEOR', 'CIDEr-D']

/** `accord report` */
export function register(program: Command): void {
  const command = program
    .command('report')
    .summary('the evaluation section of a paper, or the pages of a dataset as one HTML file')
    .description(
      'Write the evaluation section of a paper, as LaTeX or as Markdown for GitHub: scores of systems beside people with tests, a' +
        ' chart of what captions of any length say beside people, words, examples, signatures and the papers of the metrics. Scores that are not stored' +
        ' are computed. BibTeX, pictures, and for Markdown the chart are files beside it under its name. Without' +
        ' --latex and --markdown, write leaderboards, words, agreement, systems with their best and worst images, and metrics as one HTML file, which' +
        ' needs no server, loads nothing and can be printed.',
    )
    .addOption(datasetOption())
    .addOption(new Option('--latex', 'the section as LaTeX, for \\input').conflicts('markdown'))
    .option('--markdown', 'the section as Markdown')
    .addOption(
      outOption(
        'the report, a section where the name ends in .tex or .md (default: report.html, report.tex or report.md)',
      ),
    )
    .addOption(forceOption())
    .option(
      '--system <name...>',
      'systems of the section, in this order (default: all captioning systems)',
      collectList(parseText),
    )
    .addOption(metricsOption(`of the section: ${SECTION_METRICS.join(', ')}`))
    .addOption(documentFrequenciesOption('the references of the system’s images, or of each fold'))
    .addOption(
      new Option(
        '--bold <scores>',
        'of the section: best, the best score of each column; tied, also those that tests do not tell apart from it',
      )
        .choices(['best', 'tied'])
        .default('best'),
    )
    .addOption(percentOption())
    .addOption(imagesOption('of images of a section, unless the dataset has its own'))
    .addOption(meteorDataOption())
    .addOption(embeddingsOption())
  takesFiles(command)
  command
    .addHelpText(
      'after',
      example(
        'accord report references.json mine.json baseline.json --latex -o evaluation.tex',
        'accord report --dataset coco --markdown --images val2017',
        'accord report --dataset coco --out report.html',
      ),
    )
    .action(async () => {
      const given = command.optsWithGlobals<Options>()
      const [references, results = []] = command.processedArgs as [references?: string, results?: string[]]
      const named = given.out === undefined ? undefined : formatOfName(given.out)
      const latex = given.latex ?? (named === 'latex' && !given.markdown)
      const markdown = given.markdown ?? (named === 'markdown' && !given.latex)
      const out = given.out ?? `report.${latex ? 'tex' : markdown ? 'md' : 'html'}`
      if ((latex || markdown) && out === STDOUT)
        command.error('error: a section needs a file (-o FILE), since others stand beside it')
      checkOutput(out, given.force)
      await withDatasetOrFiles(
        command,
        { options: given, references, results },
        async (accord, dataset, options, matching) => {
          if (latex || markdown) return writeSection(accord, dataset, { ...options, out, isLatex: latex })
          if (matching !== null) await computeFigures(accord, dataset, options)
          return writeHtml(accord, dataset, out)
        },
      )
    })
}

async function writeHtml(accord: Accord, dataset: Dataset, out: string): Promise<void> {
  const { serve } = await import('../../api/http/server.js')
  const { renderReport }: Renderer = await import(pathToFileURL(projectFile('dist/report/report.js')).href)
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
    await writeText(out, await withPictures(html, new URL('.', server.url)))
  } finally {
    await server.close()
  }
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

/** The scores of systems, and of people where images have several captions, stored or computed. */
async function computeFigures(
  accord: Accord,
  dataset: Dataset,
  options: Options,
  progress: Progress = () => {},
) {
  const { evaluateSystems } = await import('../../services/scoring/evaluate.js')
  const { humanAgreement } = await import('../../services/agreement/agreement.js')
  const { documentsOf } = await import('../../services/evaluations/document-source.js')
  const { system: systems, metrics, documentFrequencies } = options
  const chosen = { metrics, ...documentsOf(documentFrequencies) }
  const isShared = dataset.captionsPerImage > 1
  if (isShared) await nullFor('NOT_APPLICABLE', humanAgreement(accord, dataset, chosen, { progress }))
  return evaluateSystems(accord, { dataset: dataset.name, systems, ...chosen }, { progress })
}

/** Types of pictures that a section can show, with the ends of their names. */
const PICTURES: Readonly<Record<'latex' | 'markdown', Readonly<Record<string, string>>>> = {
  latex: { 'image/png': 'png', 'image/jpeg': 'jpg' },
  markdown: {
    'image/png': 'png',
    'image/jpeg': 'jpg',
    'image/gif': 'gif',
    'image/webp': 'webp',
    'image/svg+xml': 'svg',
  },
}

/** Writes a section, and beside it the files that it shows. */
async function writeSection(
  accord: Accord,
  dataset: Dataset,
  options: Options & { readonly out: string; readonly isLatex: boolean },
): Promise<void> {
  const { out, force, isLatex, percent, bold } = options
  const { evaluationSection } = await import('../reports/section-report.js')
  const stem = basename(out, extname(out)).replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
  const beside = (end: string) => ({ name: `${stem}${end}`, path: join(dirname(out), `${stem}${end}`) })
  const drawing = beside('.svg')
  const found = await withProgress((progress) => gatherMaterial(accord, dataset, options, progress))
  const files: { readonly path: string; readonly content: string | Buffer }[] = []
  const examples = []
  for (const [index, shown] of found.examples.entries()) {
    const picture = await readPicture(accord, dataset, shown.imageId)
    const ending = picture && PICTURES[isLatex ? 'latex' : 'markdown'][picture.type]
    const file = ending ? beside(`-${index + 1}.${ending}`) : null
    if (picture && file) {
      files.push({ path: file.path, content: picture.content })
    }
    examples.push({ ...shown, picture: file?.name ?? null })
  }
  const material = { ...found, dataset, version: VERSION, examples, coveragePicture: drawing.name }
  const style = { numbers: percent ? PERCENTAGES : FRACTIONS, isTiedBold: bold === 'tied' }
  const section = evaluationSection(material, style)
  if (isLatex) {
    const { sectionToLatex } = await import('../output/section-latex.js')
    files.push({ path: beside('.bib').path, content: toBibtex(section.bibliography) })
    files.unshift({ path: out, content: sectionToLatex(section, stem) })
  } else {
    const { sectionToMarkdown } = await import('../output/section-markdown.js')
    if (found.coverage) files.push({ path: drawing.path, content: await drawCoverage(found.coverage) })
    files.unshift({ path: out, content: sectionToMarkdown(section) })
  }
  for (const { path } of files) checkOutput(path, force)
  for (const { path, content } of files) await writeParts([content], path)
  remark(`written: ${files.map(({ path }) => path).join(', ')}\n`)
}

/** All figures of a section. */
async function gatherMaterial(accord: Accord, dataset: Dataset, options: Options, progress: Progress) {
  const { resolveMetrics } = await import('../../services/evaluations/metrics.js')
  const { metricsOf } = await import('../../services/shared/computing.js')
  const { isForEnglishTools, tokenizationOf } = await import('../../services/shared/tokens.js')
  const { compareFigures } = await import('../../services/comparisons/comparisons.js')
  const { documentsOf } = await import('../../services/evaluations/document-source.js')
  const { measureCoverage } = await import('../../services/coverage/coverage.js')
  const { reportWords } = await import('../../services/words/word-report.js')
  const { findExamples } = await import('../../services/images/examples.js')
  const { mainMetric, rankedNames } = await import('../reports/section-report.js')
  const registry = metricsOf(accord)
  const tokenization = tokenizationOf(dataset)
  const metrics = options.metrics
    ? await resolveMetrics(accord, options.metrics)
    : SECTION_METRICS.filter((name) => registry.applies(name, tokenization))
  const documents = documentsOf(options.documentFrequencies)
  const client = { progress }
  const evaluations = await computeFigures(accord, dataset, { ...options, metrics }, progress)
  const systems = evaluations.map(({ report }) => report.system.name)
  const figures = metrics.map((metric) => ({ kind: 'METRIC' as const, metric }))
  const input = { dataset: dataset.name, systems, figures, ...documents }
  const hasPeople = evaluations.some(({ matched }) => matched !== null)
  const main = mainMetric(metrics)
  const [system, against] = rankedNames(evaluations, main)
  const chosen = { system, against, metric: main, ...documents }
  const found = [
    ...(await findExamples(accord, dataset, { ...chosen, count: against ? 2 : 1, order: 'BEST' }, client))
      .examples,
    ...(await findExamples(accord, dataset, { ...chosen, count: against ? 1 : 2, order: 'WORST' }, client))
      .examples,
  ]
  // Weights that do not depend on the measured images leave intervals.
  const weights = options.documentFrequencies ?? (isForEnglishTools(dataset) ? 'coco' : undefined)
  return {
    evaluations,
    compared: systems.length > 1 ? await compareFigures(accord, input, client) : null,
    comparedWithPeople: hasPeople ? await compareFigures(accord, { ...input, people: true }, client) : null,
    coverage: await nullFor(
      'NOT_APPLICABLE',
      measureCoverage(accord, dataset, { systems, ...documentsOf(weights) }, client),
    ),
    words: await nullFor('NOT_APPLICABLE', reportWords(accord, { dataset: dataset.name, systems })),
    examples: [...new Map(found.map((shown) => [shown.imageId, shown])).values()],
    exampleMetric: main,
    composites: new Set(registry.stored.composites.map(({ header }) => header.name)),
  }
}

/** The picture of an image; null for none. */
async function readPicture(
  accord: Accord,
  { name }: Dataset,
  image: string,
): Promise<{ readonly content: Buffer; readonly type: string } | null> {
  const { openPictureFor } = await import('../../services/images/pictures.js')
  const { OPEN_VIEWER } = await import('../../services/accounts/viewer.js')
  const picture = await nullFor(
    'UNKNOWN_IMAGE',
    openPictureFor(accord, OPEN_VIEWER, { dataset: name, image }),
  )
  if (picture === null) return null
  try {
    return { content: await picture.file.readFile(), type: picture.type }
  } finally {
    await picture.file.close()
  }
}
