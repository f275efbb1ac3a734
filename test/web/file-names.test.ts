import { expect, it } from 'vitest'
import { datasetNameOf, systemNamesOf } from '../../web/app/file-names.js'

it.each([
  ['captions_val2017.json', 'val2017'],
  ['refs.json', 'refs'],
  ['dataset_flickr8k.json.gz', 'dataset_flickr8k'],
  ['folder/captions.val.csv', 'captions.val'],
  ['my captions.json', 'my'],
])('names the dataset of %s %s', (file, name) => {
  expect(datasetNameOf(file)).toBe(name)
})

it.each([
  [
    ['captions_val2017_gat_results.json', 'captions_val2017_wu-2016_results.json'],
    ['gat', 'wu-2016'],
  ],
  [
    ['gat.json', 'sg2caps.jsonl.gz'],
    ['gat', 'sg2caps'],
  ],
  [
    ['results.json', 'results.json'],
    ['results', 'results-2'],
  ],
  [['val2017_results.json'], ['val2017']],
])('names the systems of %j %j', (files, names) => {
  expect(systemNamesOf(files, 'captions_val2017.json')).toEqual(names)
})
