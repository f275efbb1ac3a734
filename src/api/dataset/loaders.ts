import { type Dataset, datasetsById, datasetsByName } from '../../services/datasets.js'
import { defineLoader, defineRowLoader } from '../loader.js'

export const loadDataset = defineRowLoader(datasetsById)

export const loadDatasetByName = defineLoader<string, string, Dataset | null>({
  part: (name) => name,
  read: datasetsByName,
  absent: null,
})
