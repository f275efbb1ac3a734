import * as collections from '../../services/collections/collections.js'
import { defineRowLoader } from '../execution/loader.js'

export const loadCollection = defineRowLoader(collections.collectionsById)

export const loadCollectionImage = defineRowLoader(collections.collectionImagesById)

/** How far a collection is. */
export const loadState = defineRowLoader(collections.collectionCounts)

/** The image of a dataset that an image of a collection is. */
export const loadDescribedImage = defineRowLoader(collections.describedImages)
