import sharp from 'sharp';

/** A lamp on its post, with its light. */
export const ICON_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">' +
  '<rect width="32" height="32" rx="7" fill="#14213d"/>' +
  '<circle cx="16" cy="11" r="8" fill="#fca311" opacity=".3"/>' +
  '<path d="M12 7h8l-1.5 8h-5z" fill="#fca311"/>' +
  '<path d="M11 5.5h10M16 15v11M12 26.5h8" stroke="#e5e5e5" stroke-width="2" stroke-linecap="round"/>' +
  '</svg>';

const SIDE = 32;

/**
 * The icon as an .ico file, for clients that request only this form. An .ico file is a directory of pictures, which may
 * be PNGs.
 */
export const drawIcon = async (): Promise<Buffer> => {
  const png = await sharp(Buffer.from(ICON_SVG)).resize(SIDE, SIDE).png().toBuffer();
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2); // The type of the file: an icon.
  head.writeUInt16LE(1, 4); // The number of pictures.
  head.writeUInt8(SIDE, 6);
  head.writeUInt8(SIDE, 7);
  head.writeUInt16LE(1, 10);
  head.writeUInt16LE(32, 12); // The bits of a pixel.
  head.writeUInt32LE(png.length, 14);
  head.writeUInt32LE(head.length, 18); // The offset of the picture, directly behind this head.
  return Buffer.concat([head, png]);
};
