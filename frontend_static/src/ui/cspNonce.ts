/** The page's CSP nonce, for the one library that writes style elements (the text editor). */

let nonce = "";

export const setNonce = (value: string): void => {
  nonce = value;
};

export const cspNonce = (): string => nonce;
