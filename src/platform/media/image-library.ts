import sharp from 'sharp';

/** The readers of the formats that routes sell. */
export const IMAGE_LOADERS = [
  'VipsForeignLoadPng',
  'VipsForeignLoadJpeg',
  'VipsForeignLoadNsgif',
  'VipsForeignLoadWebp',
  'VipsForeignLoadHeif',
];

/**
 * The image library for images that this service made. A child process decodes all others (`image-decoding.ts`). It reads
 * only the formats that routes sell: PNG, JPEG, GIF, WebP and AVIF. Other readers run code of the file, such as SVG, and no time limit interrupts them.
 */
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: IMAGE_LOADERS });
sharp.cache(false);

export { sharp };
