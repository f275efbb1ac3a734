/**
 * Measures how often intervals contain the figure of the population (coverage) and how often tests reject a true
 * hypothesis (size), on samples of real images: `node dist/bench/simulation.js [FOLDER] [SAMPLES] [SECTION …]`. Writes
 * bench/SIMULATION.md, or the sections of it whose functions are named, such as `simulateWords`. The folder contains COCO
 * val2017 (default: ../shared/data/coco); without it the dataset that comes with Accord is used.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { projectFile } from '../src/project.js'
import { readPopulation } from './population.js'
import { simulateCapacities } from './simulation/capacities.js'
import { simulateCoverage } from './simulation/coverage.js'
import { simulateFrequencies } from './simulation/frequencies.js'
import { simulateJudging } from './simulation/judging.js'
import { simulatePersonAsSystem } from './simulation/person-as-system.js'
import { simulateScores } from './simulation/scores.js'
import { simulateTables } from './simulation/tables.js'
import type { Section } from './simulation/tally.js'
import { simulateTests } from './simulation/tests.js'
import { simulateWordMeans } from './simulation/word-means.js'
import { simulateWordRates } from './simulation/word-rates.js'
import { simulateWords } from './simulation/words.js'

const SIZES = [10, 30, 100, 1000]
/** Document frequencies are counted in 50 images too: a size at which people try a metric. */
const FREQUENCY_SIZES = [10, 30, 50, 100, 1000]
const PERSON_SIZES = [30, 100, 300, 1000]
/** Judgements are of few images more often than captions are. */
const JUDGED_SIZES = [10, 30, 100, 300]
const SEED = 1

const folder = process.argv[2] ?? projectFile('../shared/data/coco')
const samples = Number(process.argv[3] ?? 500)
const population = readPopulation(folder)
const parts = [
  { simulate: simulateScores, sizes: SIZES },
  { simulate: simulateFrequencies, sizes: FREQUENCY_SIZES },
  { simulate: simulateTests, sizes: SIZES },
  { simulate: simulateTables, sizes: SIZES },
  { simulate: simulateCapacities, sizes: SIZES },
  { simulate: simulateWords, sizes: SIZES },
  { simulate: simulateWordMeans, sizes: SIZES },
  { simulate: simulateWordRates, sizes: SIZES },
  { simulate: simulatePersonAsSystem, sizes: PERSON_SIZES },
  { simulate: simulateCoverage, sizes: SIZES },
  { simulate: simulateJudging, sizes: JUDGED_SIZES },
]
const wanted = process.argv.slice(4)
const sections: Section[] = []
for (const { simulate, sizes } of parts) {
  if (wanted.length > 0 && !wanted.includes(simulate.name)) continue
  process.stderr.write(`${new Date().toISOString()} ${simulate.name}\n`)
  const possible = sizes.filter((size) => size <= population.imageCount)
  sections.push(await simulate(population, possible, samples, SEED))
}
const file = projectFile('bench/SIMULATION.md')
const document = wanted.length > 0 ? replaceSections(readFileSync(file, 'utf8')) : introduce()
writeFileSync(file, document)

function introduce(): string {
  return [
    '# How far intervals and tests can be trusted',
    '',
    `Written by \`node dist/bench/simulation.js FOLDER ${samples}\` (\`npm run build\` first; seed ${SEED}; FOLDER has COCO val2017). The population is the ${population.name} of ` +
      `${population.imageCount.toLocaleString('en')} images; samples are drawn from it with replacement, and each ` +
      'figure of a sample is compared with the figure of the population. A 95 % interval should contain it in 93 % ' +
      'to 97 % of samples, and a test at the level of 5 % should reject a true hypothesis in 4 % to 6 %. The standard ' +
      `error of a share of .95, or .05, of ${samples.toLocaleString('en')} samples is ` +
      `${Math.sqrt((0.95 * 0.05) / samples)
        .toFixed(3)
        .replace(/^0/, '')}: single figures slightly outside are chance.`,
    '',
    ...sections.flatMap((section) => [...section, '']),
  ].join('\n')
}

/** The document with the sections that were run in place of those of the same title. */
function replaceSections(written: string): string {
  const [head, ...old] = written.split(/^(?=## )/m)
  const titleOf = (text: string) => text.slice(0, text.indexOf('\n'))
  const byTitle = new Map(old.map((text) => [titleOf(text), text]))
  for (const section of sections) byTitle.set(section[0], `${[...section, ''].join('\n')}\n`)
  return [head, ...byTitle.values()].join('').replace(/\n+$/, '\n')
}
