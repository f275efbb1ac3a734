import { expect, it } from 'vitest'
import { reportAgreement } from '../../../src/services/agreement/agreement.js'
import { exportFrequencies } from '../../../src/services/exports/export.js'
import { evaluateSystem } from '../../../src/services/scoring/evaluate.js'
import { temporaryFolder } from '../../formats/kit.js'
import { initPark } from '../kit.js'

const files = temporaryFolder()
const { accord, park } = await initPark('sqlite')

it('the built-in document frequencies stand beside those of the images, and beside no others', async () => {
  const metrics = ['ROUGE-L', 'CIDEr', 'CIDEr-D']
  const path = files.write('park.frequencies', await exportFrequencies(accord, park.row))
  for (const [source, expected] of [
    [{}, ['CIDEr', 'CIDEr-D']],
    [{ documentsFile: { path } }, []],
    [{ documents: 'coco' }, []],
  ] as const) {
    const options = { dataset: 'park', metrics, ...source }
    const { scores, coco } = await evaluateSystem(accord, { ...options, system: 'copier' })
    expect([scores, coco.scores].map((rows) => rows.map(({ metric }) => metric))).toEqual([metrics, expected])
    for (const { record } of coco.scores) expect(record.documentFrequencies?.source).toBe('coco')
    const people = await reportAgreement(accord, { ...options, references: 1 })
    expect(people.coco.map(({ metric }) => metric)).toEqual(expected)
  }
})
