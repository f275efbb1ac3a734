/** Reads `image=filepath,caption=title`: fields with the names of their columns. A comma of a name is written `\,`. */
export function readNamedColumns(text: string): [field: string, name: string][] {
  return text.split(/(?<!\\),/).map((part) => {
    const [, field = '', name = ''] = /^\s*(\w+)\s*=\s*(.*\S)\s*$/.exec(part.replaceAll('\\,', ',')) ?? []
    return [field, name]
  })
}

/** The columns that an error suggests: `--columns image=filepath,caption=title, or …`. */
export function suggestedColumns(message: string): string | undefined {
  return /--columns (.+?), or an? /.exec(message)?.[1]
}
