const TABS = [
  { href: 'studio', text: 'Chat' },
  { href: 'studio/image', text: 'Images' },
  { href: 'studio/video', text: 'Videos' },
  { href: 'playground', text: 'Playground' },
];

/** The parts of the studio. */
export const StudioTabs = ({ at }: { readonly at: string }) => (
  <nav class="tabs" aria-label="Studio">
    {TABS.map(({ href, text }) => (
      <a key={href} href={href} aria-current={href === at ? 'page' : undefined}>
        {text}
      </a>
    ))}
  </nav>
);
