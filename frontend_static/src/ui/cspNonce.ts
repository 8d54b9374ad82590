/** The page's CSP nonce, for the text editor, which adds style elements. */

let nonce = "";

export const setNonce = (value: string): void => {
  nonce = value;
};

export const cspNonce = (): string => nonce;
