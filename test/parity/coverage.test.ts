import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../src/project.js'
import { workbench } from '../cli/kit.js'
import { dataFile, dataPresent } from '../kit/data.js'

const LARGE_MODELS = ['instructblip-short', 'llava-short', 'minigpt4-brief', 'mmgpt-short', 'mplug-owl-brief']
const SYSTEMS = ['dai-2017', 'shetty-2016', 'vinyals-2017', 'wu-2016']
const DATASETS = [
  { name: 'large_models_814', folder: 'large_models', references: 'captions_814', systems: LARGE_MODELS },
  { name: 'val2017', folder: 'coco', references: 'captions_val2017', systems: SYSTEMS },
] as const
const COCO_CN = 'coco_cn/captions_test'
const TRANSLATORS = ['coco-cn', 'coco-mt', 'seqlearn']
const GOLDEN = 'golden/several_people.json'

const filesOf = ({ folder, references, systems }: (typeof DATASETS)[number]) => [
  `${folder}/${references}.json`,
  ...systems.map((system) => `${folder}/${references}_${system}_results.json`),
]

const present = dataPresent('coverage compared with the reference figures', [
  GOLDEN,
  ...DATASETS.flatMap(filesOf),
  `${COCO_CN}.json`,
  ...TRANSLATORS.map((system) => `${COCO_CN}_${system}_results.json`),
])

type Figures = Record<'confirmed' | 'coverage' | 'consensusCoverage', number>
type Golden = Record<string, Record<'words' | 'types', Record<string, Figures>>>
type Figure = { value: number; interval: { lower: number; upper: number } }
type Row = { system: string | null; people: number | null } & Record<
  'coverage' | 'consensusCoverage' | 'confirmedShare' | 'peopleEquivalent' | 'confirmedShareBesidePeople',
  Figure
>

describe.skipIf(!present)('accord coverage on COCO', () => {
  const { run } = workbench()
  let golden: Golden

  beforeAll(() => {
    golden = JSON.parse(readFileSync(dataFile(GOLDEN), 'utf8'))
  })

  async function rowsOf(files: readonly string[], ...options: string[]): Promise<Row[]> {
    const { code, stdout } = await run(['coverage', ...files.map(dataFile), '--json', ...options])
    expect(code).toBe(0)
    return JSON.parse(stdout).rows
  }

  it.each(
    DATASETS.flatMap((dataset) => (['words', 'types'] as const).map((units) => ({ ...dataset, units }))),
  )('has every golden figure of $name in $units, within 1e-9', async ({ units, ...dataset }) => {
    const rows = await rowsOf(filesOf(dataset), '--units', units)
    const expected = Object.entries(golden[dataset.name][units])
    expect(expected).toHaveLength(rows.length)
    for (const [name, { confirmed, coverage, consensusCoverage }] of expected) {
      const row = rows.find(({ system, people }) => name === (system ?? `people x ${people}`))
      expect(row?.confirmedShare.value, name).toBeCloseTo(confirmed, 9)
      expect(row?.coverage.value, name).toBeCloseTo(coverage, 9)
      expect(row?.consensusCoverage.value, name).toBeCloseTo(consensusCoverage, 9)
    }
  })

  it('has what METHODS says of them: LLaVA as much as nearly three people, at a third of their confirmed share', async () => {
    const rows = await rowsOf(filesOf(DATASETS[0]))
    const own = rows.find(({ system }) => system === 'llava-short') as Row
    expect(own.peopleEquivalent.value).toBeCloseTo(
      2 + (0.3871106522 - 0.3317497783) / (0.3971405177 - 0.3317497783),
      6,
    )
    expect(own.peopleEquivalent.interval).toBeNull()
    const weighed = await rowsOf(filesOf(DATASETS[0]), '--document-frequencies', 'coco')
    const llava = weighed.find(({ system }) => system === 'llava-short') as Row
    expect(llava.confirmedShareBesidePeople.interval.upper).toBeLessThan(-0.19)
    expect(llava.peopleEquivalent.interval.lower).toBeGreaterThan(2.6)
    expect(llava.peopleEquivalent.interval.upper).toBeLessThan(3)
  })

  it('has what docs/any-length.md says of it: systems of 2015 to 2017 are cautious, LLaVA is not', async () => {
    const [one, , , ...systems] = await rowsOf(filesOf(DATASETS[1]), '--document-frequencies', 'coco')
    expect(systems.map(({ system }) => system)).toEqual(SYSTEMS)
    for (const { coverage, confirmedShare } of systems) {
      expect(coverage.interval.upper).toBeLessThan(one.coverage.interval.lower)
      expect(confirmedShare.value).toBeGreaterThan(one.confirmedShare.value)
    }
    const models = await rowsOf(filesOf(DATASETS[0]), '--document-frequencies', 'coco')
    const llava = models.find(({ system }) => system === 'llava-short') as Row
    const human = llava.confirmedShare.value - llava.confirmedShareBesidePeople.value
    expect(llava.peopleEquivalent.value).toBeCloseTo(2.8, 1)
    expect(llava.confirmedShare.value / human).toBeCloseTo(0.3, 1)
  })

  it.each(['words', 'types'] as const)(
    'has the figures of sets for Chinese captions, six per image, in %s, within 1e-9',
    async (units) => {
      const files = [COCO_CN, ...TRANSLATORS.map((system) => `${COCO_CN}_${system}_results`)]
      const rows = await rowsOf(
        files.map((file) => `${file}.json`),
        ...['--tokenizer', 'none', '--units', units],
      )
      // Computed by several_people.py beside it.
      const sets: Golden[string] = JSON.parse(
        readFileSync(projectFile('test/golden/several_people_coco_cn.json'), 'utf8'),
      )
      expect(rows.map(({ system, people }) => system ?? `people x ${people}`)).toEqual(
        Object.keys(sets[units]),
      )
      for (const { system, people, ...row } of rows) {
        const expected = sets[units][system ?? `people x ${people}`]
        expect(row.confirmedShare.value).toBeCloseTo(expected.confirmed, 9)
        expect(row.coverage.value).toBeCloseTo(expected.coverage, 9)
        expect(row.consensusCoverage.value).toBeCloseTo(expected.consensusCoverage, 9)
      }
    },
  )
})
