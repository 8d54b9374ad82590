/** Estimated tokens of a text: four characters each, as providers' own rule of thumb. */
export const estimatedTokens = (value: string): number => Math.ceil(value.length / 4);
