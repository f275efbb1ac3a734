/** Colours that attributes name. */
const NAMED: Readonly<Record<string, string>> = {
  white: '#f6f3ec',
  black: '#34343a',
  gray: '#9a9ea5',
  grey: '#9a9ea5',
  silver: '#b9bfc6',
  metal: '#aab1b8',
  steel: '#aab1b8',
  red: '#c8493c',
  orange: '#e08a3c',
  yellow: '#e9c04b',
  golden: '#d9ab4a',
  gold: '#d9ab4a',
  blonde: '#e3c46f',
  green: '#5f9a5b',
  blue: '#4f82b8',
  navy: '#33507a',
  turquoise: '#4fb0ac',
  purple: '#8361a8',
  pink: '#e39ab0',
  brown: '#8d6242',
  beige: '#dcc9a6',
  tan: '#c9a878',
  wooden: '#b08555',
  wood: '#b08555',
  leather: '#8a5a3a',
  wicker: '#bb9560',
  straw: '#dcc07a',
  brick: '#b5624a',
  stone: '#a9a59b',
  concrete: '#b4b3ae',
  dark: '#4c4a52',
  bright: '#efc94c',
  snowy: '#f3f6f9',
  muddy: '#7b5f45',
}

export const colorOf = (attribute: string): string | undefined => NAMED[attribute]

export const SKIN = ['#f0c8a4', '#dba67c', '#b97e55', '#8f5d3d', '#6d442c'] as const
export const HAIR = ['#3a2a22', '#5d4030', '#8a5a34', '#c99a55', '#2b2730', '#a8653c'] as const
export const CLOTHES = [
  '#c65b4b',
  '#4f82b8',
  '#5f9a5b',
  '#d3a245',
  '#8361a8',
  '#4aa3a0',
  '#c97b95',
  '#7b8794',
] as const
export const TROUSERS = ['#3f4d66', '#5a5550', '#7a6a52', '#38404a', '#56657c'] as const

/** A colour made darker (below 0) or lighter: −1 to 1. */
export function shade(color: string, amount: number): string {
  const target = amount < 0 ? 0 : 255
  const part = (start: number) => {
    const value = Number.parseInt(color.slice(start, start + 2), 16)
    const mixed = Math.round(value + (target - value) * Math.abs(amount))
    return mixed.toString(16).padStart(2, '0')
  }
  return `#${part(1)}${part(3)}${part(5)}`
}
