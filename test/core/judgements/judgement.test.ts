import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { publishedFigures } from '../../../src/core/judgements/judgement.js'
import { dataFile, dataPresent } from '../../kit/data.js'

const GOLDEN = 'golden/metaevaluation.json'
const present = dataPresent('published figures of metrics compared with the papers', [GOLDEN])

const FLICKR8K_EXPERT = '40a350d693b2e7b92afe99a0889748f03d82af7df5fa9cce8bbc7e24cd40b21f'
const PASCAL_50S = '82ac1a669af5bceb2decb922f4d99d7e0dd77c4de3ad6698abde81e92b4e7842'

describe('published figures', () => {
  it('have the mean of the categories of PASCAL-50S, to the three places of the paper', () => {
    const trained = ['MS', 'CS', 'MCS', 'WCS', 'MWS', 'MWCS'].map((features) => `Eval${features}`)
    for (const metric of ['BLEU-4', 'ROUGE-L', 'METEOR', 'CIDEr', 'SPICE', 'WMD', ...trained]) {
      const figures = publishedFigures(PASCAL_50S, metric)
      if (figures === null || !('accuracy' in figures)) throw new Error(`no accuracy of ${metric}`)
      const { HC, HI, HM, MM } = figures.accuracy
      expect(Math.abs((HC + HI + HM + MM) / 4 - figures.mean), metric).toBeLessThan(0.0006)
    }
  })

  it.skipIf(!present)('are those of the papers', () => {
    const { published } = JSON.parse(readFileSync(dataFile(GOLDEN), 'utf8'))
    const of = (set: string): [string, unknown][] => {
      const [key] = Object.keys(published).filter((name) => name.startsWith(set))
      return Object.entries(published[key])
    }
    for (const [metric, tauC] of of('flickr8k_expert')) {
      expect(publishedFigures(FLICKR8K_EXPERT, metric), metric).toEqual({ tauC })
    }
    for (const [metric, figures] of of('pascal50s')) {
      const [HC, HI, HM, MM] = figures as number[]
      expect(publishedFigures(PASCAL_50S, metric), metric).toMatchObject({ accuracy: { HC, HI, HM, MM } })
    }
  })

  it('are those of the published sets alone', () => {
    expect(publishedFigures('0', 'SPICE')).toBeNull()
    expect(publishedFigures(FLICKR8K_EXPERT, 'WMD')).toBeNull()
    expect(publishedFigures(PASCAL_50S, 'CIDEr-D')).toBeNull()
  })
})
