/**
 * Numbers ids in the order in which they are added, from 0. Takes about 20 bytes plus the text of each id, a fifth of a
 * `Map`, and has no limit of 16 million entries.
 */
export class IdIndex {
  private texts = Buffer.allocUnsafe(1 << 12)
  /** The text of id `i` is at `offsets[i]` … `offsets[i + 1]`. */
  private offsets = new Float64Array(1 << 8)
  /** Open addressing: the number of an id plus 1, 0 for free slots. */
  private slots = new Int32Array(1 << 9)
  private count = 0

  get size(): number {
    return this.count
  }

  /** The number of an id; a new id gets the number {@link size}. */
  add(id: string): number {
    this.reserve(id.length * MAX_BYTES_PER_UNIT)
    const start = this.offsets[this.count]
    const end = start + this.texts.write(id, start)
    const slot = this.slotOf(start, end)
    if (this.slots[slot] > 0) return this.slots[slot] - 1
    this.slots[slot] = ++this.count
    this.offsets[this.count] = end
    return this.count - 1
  }

  /** The id of a number below {@link size}. */
  at(index: number): string {
    return this.texts.toString('utf8', this.offsets[index], this.offsets[index + 1])
  }

  /** Makes room for one more id of at most `bytes` bytes. */
  private reserve(bytes: number): void {
    const used = this.offsets[this.count]
    if (used + bytes > this.texts.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.texts.length, used + bytes))
      this.texts.copy(larger, 0, 0, used)
      this.texts = larger
    }
    if (this.count + 2 > this.offsets.length) {
      const larger = new Float64Array(2 * this.offsets.length)
      larger.set(this.offsets)
      this.offsets = larger
    }
    if (2 * this.count >= this.slots.length) {
      this.slots = new Int32Array(2 * this.slots.length)
      for (let i = 0; i < this.count; i++) {
        this.slots[this.slotOf(this.offsets[i], this.offsets[i + 1])] = i + 1
      }
    }
  }

  /** The slot of the id whose text is at `start` … `end`, or the free slot where it belongs. */
  private slotOf(start: number, end: number): number {
    const { slots, offsets, texts } = this
    const mask = slots.length - 1
    for (let slot = hash(texts, start, end) & mask; ; slot = (slot + 1) & mask) {
      const entry = slots[slot]
      if (entry === 0) return slot
      if (equal(texts, offsets[entry - 1], offsets[entry], start, end)) return slot
    }
  }
}

/** UTF-8 takes at most this many bytes for each UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3

/** FNV-1a with the final mix of MurmurHash3: ids are often consecutive numbers. */
function hash(bytes: Buffer, start: number, end: number): number {
  let value = 0x811c9dc5
  for (let i = start; i < end; i++) value = Math.imul(value ^ bytes[i], 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return value ^ (value >>> 16)
}

function equal(bytes: Buffer, start: number, end: number, otherStart: number, otherEnd: number): boolean {
  if (end - start !== otherEnd - otherStart) return false
  for (let i = start, j = otherStart; i < end; i++, j++) if (bytes[i] !== bytes[j]) return false
  return true
}
