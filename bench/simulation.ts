/**
 * Measures how often intervals contain the figure of the population (coverage) and how often tests reject a true
 * hypothesis (size), on samples of real images: `node dist/bench/simulation.js [FOLDER] [SAMPLES]`. Writes
 * docs/SIMULATION.md. The folder contains COCO val2017 (default: ../shared/data/coco); without it the dataset that
 * comes with Accord is used.
 */
import { writeFileSync } from 'node:fs'
import { projectFile } from '../src/project.js'
import { readPopulation } from './population.js'
import { simulateScores } from './simulation/scores.js'
import { simulateTests } from './simulation/tests.js'
import { simulateWordMeans } from './simulation/word-means.js'
import { simulateWords } from './simulation/words.js'

const SIZES = [10, 30, 100, 1000]
const SEED = 1

const folder = process.argv[2] ?? projectFile('../shared/data/coco')
const samples = Number(process.argv[3] ?? 1000)
const population = readPopulation(folder)
const sizes = SIZES.filter((size) => size <= population.imageCount)
const sections = [simulateScores, simulateTests, simulateWords, simulateWordMeans].map((simulate) => {
  process.stderr.write(`${simulate.name}\n`)
  return simulate(population, sizes, samples, SEED)
})
writeFileSync(
  projectFile('docs/SIMULATION.md'),
  [
    '# How far intervals and tests can be trusted',
    '',
    `Written by \`bench/simulation.ts\` (seed ${SEED}). The population is the ${population.name} of ` +
      `${population.imageCount.toLocaleString('en')} images; samples are drawn from it with replacement, and each ` +
      'figure of a sample is compared with the figure of the population. A 95 % interval should contain it in 93 % ' +
      'to 97 % of samples, and a test at the level of 5 % should reject a true hypothesis in 4 % to 6 %. The standard ' +
      `error of a share of .95, or .05, of ${samples.toLocaleString('en')} samples is ` +
      `${Math.sqrt((0.95 * 0.05) / samples)
        .toFixed(3)
        .replace(/^0/, '')}: single figures slightly outside are chance.`,
    '',
    ...sections.flatMap((section) => [...section, '']),
  ].join('\n'),
)
