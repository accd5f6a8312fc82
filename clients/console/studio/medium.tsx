/** The same address with the current host name, because pages may load media only from their own origin. */
export const ownAddress = (url: string): string => {
  if (!/^https?:/.test(url)) return url;
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
};

/** An image or a video, from the service or from this device. */
export const Medium = ({
  kind,
  url,
  alt,
  small = false,
}: {
  readonly kind: 'image' | 'video';
  readonly url: string;
  readonly alt: string;
  readonly small?: boolean;
}) =>
  kind === 'image' ? (
    <img
      class="medium"
      src={ownAddress(url)}
      alt={alt}
      loading={small ? 'lazy' : 'eager'}
      draggable={false}
    />
  ) : (
    // A list shows only the first frame; a single result is played.
    <video
      class="medium"
      src={ownAddress(url)}
      aria-label={alt}
      controls={!small}
      muted={small}
      preload="metadata"
      playsInline
    />
  );
