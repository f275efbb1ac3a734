import type { MarkedText } from '../text/mention-markup.js'

/** x, y, width, height in pixels. x and y are the upper left corner; the upper left corner of the image is (0, 0). */
export type BoundingBox = readonly [x: number, y: number, width: number, height: number]

/** An object in an image: its concept and bounding box. The id is unique within the image. */
export interface Box {
  readonly id: string
  /** A category, noun or WordNet synset. Compared as a string. */
  readonly concept: string
  readonly bbox: BoundingBox
  /** Words that describe the object, such as its colour. */
  readonly attributes?: readonly string[]
  /** Distance from the camera, in the unit of the source. */
  readonly depth?: number
}

/** An image and its boxes, in the order of the source. Ties between boxes are resolved by this order. */
export interface BoxedImage {
  readonly imageId: string
  /** In pixels. Both null if not given in the source. */
  readonly width: number | null
  readonly height: number | null
  readonly boxes: readonly Box[]
}

/** A human description of an image, as the sequence of boxes that it mentions. */
export interface Description {
  readonly id: string
  readonly imageId: string
  /** Mentioned box ids in order, including repeats. Empty if the description mentions no box. */
  readonly mentions: readonly string[]
  /** The sentence with the positions of its mentions. Null if the source has mentions only. */
  readonly sentence: MarkedText | null
}

/** Counts of what was excluded from or changed in a source, and of unusual content that was included. */
export interface SourceCounts {
  /** Included: images without boxes. */
  readonly imagesWithoutBoxes: number
  /** Excluded: boxes of zero width or height. */
  readonly boxesWithoutArea: number
  /** Excluded: boxes that lie completely outside the image. */
  readonly boxesOutsideImage: number
  /** Included, clipped to the image: boxes that extend more than one pixel beyond the image. */
  readonly boxesCut: number
  /** Excluded: boxes without a concept, because no description mentions them and the source has no other labels. */
  readonly boxesWithoutConcept: number
  /** Excluded: mentions of excluded boxes, or of entities without a box. */
  readonly mentionsWithoutBox: number
  /** Included, but not used in any score: descriptions that mention no box. */
  readonly descriptionsWithoutMentions: number
}

/** Content of a file or folder of boxes, independent of its format. */
export interface BoxSource {
  readonly images: readonly BoxedImage[]
  readonly descriptions: readonly Description[]
  readonly counts: SourceCounts
}

/** A description of an image by a system, as the sequence of boxes that it mentions. */
export interface SystemDescription {
  readonly imageId: string
  /** Mentioned box ids in order, including repeats. Empty if the description mentions no box. */
  readonly mentions: readonly string[]
  readonly sentence: MarkedText | null
}
