import type { MarkedText } from '../text/mention-markup.js'

/** x, y, width, height in pixels; x and y are the upper left corner, counted from the image's own, 0, 0. */
export type BoundingBox = readonly [x: number, y: number, width: number, height: number]

/** An object of an image: what it is and where. The id is unique within the image. */
export interface Box {
  readonly id: string
  /** A category, noun or WordNet synset, compared as it is written. */
  readonly concept: string
  readonly bbox: BoundingBox
}

/** An image and its boxes, in the order the source lists them (ties between boxes go to the first). */
export interface BoxedImage {
  readonly imageId: string
  /** Pixels; both `null` where the source does not say. */
  readonly width: number | null
  readonly height: number | null
  readonly boxes: readonly Box[]
}

/** A human description of an image, as the sequence of boxes that its words name. */
export interface Description {
  readonly id: string
  readonly imageId: string
  /** Box ids in the order named, with repeats; empty where the description names no box. */
  readonly mentions: readonly string[]
  /** The sentence and which of its words name which box; `null` where the source has mentions only. */
  readonly sentence: MarkedText | null
}

/** What a source contained besides what was kept, and what of the kept is worth knowing. */
export interface SourceCounts {
  /** Kept: images without a single box. */
  readonly imagesWithoutBoxes: number
  /** Left out: boxes of zero width or height. */
  readonly boxesWithoutArea: number
  /** Left out: boxes that share no area with their image. */
  readonly boxesOutsideImage: number
  /** Kept, but cut to their part inside the image: boxes that reach more than a pixel beyond it. */
  readonly boxesCut: number
  /** Left out: boxes that no description names, in sources where only descriptions say what a box shows. */
  readonly boxesWithoutConcept: number
  /** Left out: mentions of boxes that were left out, or of things that the source gives no box. */
  readonly mentionsWithoutBox: number
  /** Kept, and left out of every score: descriptions that name no box. */
  readonly descriptionsWithoutMentions: number
}

/** What every source of boxes is read into. */
export interface BoxSource {
  readonly images: readonly BoxedImage[]
  readonly descriptions: readonly Description[]
  readonly counts: SourceCounts
}

/** A system's description of an image, as the boxes it names. */
export interface SystemDescription {
  readonly imageId: string
  /** Box ids in the order named, with repeats; empty where the description names no box. */
  readonly mentions: readonly string[]
  readonly sentence: MarkedText | null
}
