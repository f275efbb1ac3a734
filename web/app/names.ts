/** People, where a system may stand as well. */
export const PEOPLE = 'people'
