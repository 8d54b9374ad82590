/** Save drawings as files: SVG, and PNG painted from it. */

import { rasterSize, type RasterSize } from "./rasterSize";

const SVG_TYPE = "image/svg+xml";

export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

export const svgFile = (svg: string): Blob => new Blob([svg], { type: SVG_TYPE });

/** The drawing as PNG, with its size. Rejects if the browser cannot paint it. */
export async function pngFile(svg: string): Promise<{ content: Blob; size: RasterSize }> {
  const address = URL.createObjectURL(svgFile(svg));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const size = rasterSize(image.naturalWidth, image.naturalHeight);
    const canvas = document.createElement("canvas");
    canvas.width = size.width;
    canvas.height = size.height;
    canvas.getContext("2d")?.drawImage(image, 0, 0, size.width, size.height);
    const content = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (!content) throw new Error("The browser cannot paint a drawing of this size.");
    return { content, size };
  } finally {
    URL.revokeObjectURL(address);
  }
}
