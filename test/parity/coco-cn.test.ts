import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { workbench } from '../cli/kit.js'
import { dataFile, dataPresent } from '../kit/data.js'
import type { Json } from '../kit/seed.js'

const GOLDEN = 'golden/coco_cn.json'
const REFERENCES = 'coco_cn/captions_test.json'
const SYSTEMS = ['coco-cn', 'seqlearn', 'coco-mt']
const fileOf = (system: string) => `coco_cn/captions_test_${system}_results.json`

const present = dataPresent('the published table of COCO-CN', [GOLDEN, REFERENCES, ...SYSTEMS.map(fileOf)])

/** Their names in the table, whose CIDEr is CIDEr-D. */
const METRICS: Readonly<Record<string, string>> = {
  'BLEU-1': 'Bleu_1',
  'BLEU-2': 'Bleu_2',
  'BLEU-3': 'Bleu_3',
  'BLEU-4': 'Bleu_4',
  'ROUGE-L': 'ROUGE_L',
  'CIDEr-D': 'CIDEr',
  METEOR: 'METEOR',
}

/** The table has three digits. */
const ROUNDING = 0.00055

describe.skipIf(!present)('the published table of COCO-CN (Li et al. 2019)', () => {
  const { run } = workbench()
  const score = async (...options: string[]): Promise<Json[]> => {
    const files = [REFERENCES, ...SYSTEMS.map(fileOf)].map(dataFile)
    const { code, stdout, stderr } = await run([
      'score',
      ...files,
      '--tokenizer',
      'none',
      '--json',
      ...options,
    ])
    expect(code, stderr).toBe(0)
    return JSON.parse(stdout).scores
  }

  it('is met on captions between spaces, METEOR by the parameters of English', async () => {
    const golden = JSON.parse(readFileSync(dataFile(GOLDEN), 'utf8')).systems
    const scores = await score('--meteor-language', 'en')
    expect(scores).toHaveLength(SYSTEMS.length * Object.keys(METRICS).length)
    for (const { system, metric, value, signature } of scores) {
      expect(
        Math.abs(value - golden[system][METRICS[metric]]),
        `${metric} of ${system}: ${value}`,
      ).toBeLessThan(ROUNDING)
      expect(signature).toContain('|tok:none|lang:zh|')
      if (metric === 'METEOR') expect(signature).toContain('|functionWords:METEOR-1.5|language:en|')
    }
  })

  it('has another METEOR by the parameters for Chinese', async () => {
    const golden = JSON.parse(readFileSync(dataFile(GOLDEN), 'utf8')).systems
    for (const { system, value, signature } of await score('--metrics', 'METEOR')) {
      expect(Math.abs(value - golden[system].METEOR)).toBeGreaterThan(0.05)
      expect(signature).not.toContain('language:en')
    }
  })
})
