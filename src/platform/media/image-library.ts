import sharp from 'sharp';

/**
 * The image library, for the whole process. It reads only the formats that routes sell: PNG, JPEG, GIF, WebP and AVIF.
 * Other readers run code of the file, such as SVG, and no time limit interrupts them.
 */
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadPng',
    'VipsForeignLoadJpeg',
    'VipsForeignLoadNsgif',
    'VipsForeignLoadWebp',
    'VipsForeignLoadHeif',
  ],
});
sharp.cache(false);

export { sharp };
