import { InvalidRequest } from '#kernel/app-error';

interface Size {
  readonly aspectRatio: string;
  readonly resolution?: string;
}

/** The sizes of the images route, as aspect ratios. */
export const IMAGE_SIZES: Readonly<Record<string, Size>> = {
  '1024x1024': { aspectRatio: '1:1' },
  '1792x1024': { aspectRatio: '16:9' },
  '1024x1792': { aspectRatio: '9:16' },
  '1536x1024': { aspectRatio: '3:2' },
  '1024x1536': { aspectRatio: '2:3' },
};

/** The sizes of the videos route, as aspect ratio and resolution tier: an edge of 1792 means 1080p. */
export const VIDEO_SIZES: Readonly<Record<string, Size>> = {
  '1280x720': { aspectRatio: '16:9', resolution: '720p' },
  '720x1280': { aspectRatio: '9:16', resolution: '720p' },
  '1792x1024': { aspectRatio: '16:9', resolution: '1080p' },
  '1024x1792': { aspectRatio: '9:16', resolution: '1080p' },
};

interface Shape {
  readonly size?: string;
  readonly aspectRatio?: string;
  readonly resolution?: string;
}

/** Converts `size` into its aspect ratio and resolution. Throws if the call names another aspect ratio. */
export const shapeOf = (sizes: Readonly<Record<string, Size>>, shape: Shape): Omit<Shape, 'size'> => {
  const size = shape.size === undefined ? undefined : sizes[shape.size];
  if (size !== undefined && shape.aspectRatio !== undefined && shape.aspectRatio !== size.aspectRatio) {
    throw new InvalidRequest(
      `size ${shape.size} is ${size.aspectRatio}, and aspectRatio says ${shape.aspectRatio}.`,
      {
        param: 'aspectRatio',
        remedies: [{ param: 'aspectRatio', value: size.aspectRatio }],
      },
    );
  }
  const aspectRatio = shape.aspectRatio ?? size?.aspectRatio;
  const resolution = shape.resolution ?? size?.resolution;
  return {
    aspectRatio,
    resolution,
  };
};
