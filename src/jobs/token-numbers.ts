/** Numbers distinct tokens from 0, by first use. */
export class TokenNumbers {
  /** `texts[n]` is the token with the number `n`. */
  readonly texts: string[] = []
  private readonly numbers = new Map<string, number>()

  /** The numbers of a caption's tokens. */
  numbersOf(tokens: readonly string[]): Int32Array {
    const numbers = new Int32Array(tokens.length)
    for (let i = 0; i < tokens.length; i++) numbers[i] = this.numberOf(tokens[i])
    return numbers
  }

  private numberOf(token: string): number {
    let number = this.numbers.get(token)
    if (number === undefined) {
      number = this.texts.push(token) - 1
      this.numbers.set(token, number)
    }
    return number
  }
}
