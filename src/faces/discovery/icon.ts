/** A lamp on its post, with its light. */
export const ICON_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">' +
  '<rect width="32" height="32" rx="7" fill="#14213d"/>' +
  '<circle cx="16" cy="11" r="8" fill="#fca311" opacity=".3"/>' +
  '<path d="M12 7h8l-1.5 8h-5z" fill="#fca311"/>' +
  '<path d="M11 5.5h10M16 15v11M12 26.5h8" stroke="#e5e5e5" stroke-width="2" stroke-linecap="round"/>' +
  '</svg>';

const SIDE = 32;

/** The same icon, drawn beforehand as a PNG, because the service reads no SVG. */
const ICON_PNG = Buffer.from(
  [
    'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAMAAABEpIrGAAAA1VBMVEVMaXEUID0TITwTID0XIjkTIDwTITwUID0VITwUIT0TITwT',
    'ITwYJDwTIT0TIT0TITwSIj4ZJj8UIDwVITwTIT0UIT1ZSDD8oxHl5eWknJCDiZaakYUgJzt2fYxYRzBQWm5NQTI8NzYWIj1OQjJV',
    'RjFWRjEVIj06NzZHPjTZ2txaSDA7NjY7NzY8NzW5fh7q1bMgKDuCdWRSWm7c3NtyViw9NzVzVyuRZyWRZyb1nxLYjxj0nhLZjxhZ',
    'RzCueCA8ODXNiRqveCDsmhTOiRrsmxSLiYeMiIfLQfdNAAAAFXRSTlMA8YOEFvPO8lT+9IIVz4HNUhTwVdDF2dQtAAAACXBIWXMA',
    'AAsTAAALEwEAmpwYAAABKklEQVQ4jdWT13aDMBBEFxfAPU6iQUkAU0zc7dhO7/3/PykHMBKxIO+ZF1YzdyVxYImIatVOkylq6pUa',
    'JToyWIkMM8kbZTljDZOoluu/8MMoCme2dLQ2VcVi83W20/dGmC06zspgy4W2QebqVM/Kl/WJ0Hoh7kni/Cfg00r0DrjiHgLwAXyk',
    'wCuAuQKEAN5S4BmApwARgJsUuAUwVIAhgOsUuCwEQgDThzi/mxYeMQOAxxi4j6uRAtgugKW1WllLFL4mu4obwXny8JkKBGMJjM8L',
    'ABYs3BRwfZnnAcbsuce5N8p97j2AMcb5nvE/AEPWA8dxOHccZyA9jTpyMcn+2Yn0dKrkdjjdKbdD99fgqDrsE5l/jd5BPJymVtqf',
    '5ETtVk+Mj1S91+0T0Q9DnliTV8M3CQAAAABJRU5ErkJggg==',
  ].join(''),
  'base64',
);

/** An .ico file is a directory of pictures, which may be PNGs. */
const iconFile = (): Buffer => {
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2); // The type of the file: an icon.
  head.writeUInt16LE(1, 4); // The number of pictures.
  head.writeUInt8(SIDE, 6);
  head.writeUInt8(SIDE, 7);
  head.writeUInt16LE(1, 10);
  head.writeUInt16LE(32, 12); // The bits of a pixel.
  head.writeUInt32LE(ICON_PNG.length, 14);
  head.writeUInt32LE(head.length, 18); // The offset of the picture, directly behind this head.
  return Buffer.concat([head, ICON_PNG]);
};

/** The icon for clients that request only this form. */
export const ICON_FILE = iconFile();
