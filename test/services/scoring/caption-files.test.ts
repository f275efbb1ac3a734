import { expect, it } from 'vitest'
import { nameSystems } from '../../../src/services/scoring/caption-files.js'

it('files of systems give their names, or their paths where a name is not distinct or stands for people', () => {
  expect(nameSystems(['a/mine.json', 'b/captions_val2017_good_results.json.gz'])).toEqual(['mine', 'good'])
  expect(nameSystems(['a/mine.json', 'b/mine.tsv'])).toEqual(['a/mine.json', 'b/mine.tsv'])
  expect(nameSystems(['People.json', 'b.json'])).toEqual(['People.json', 'b'])
})
