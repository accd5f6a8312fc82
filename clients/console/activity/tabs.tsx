const TABS = [
  { href: 'account/activity', text: 'Activity' },
  { href: 'account/requests', text: 'Requests' },
];

/** The sums of calls, and the calls one by one. */
export const ActivityTabs = ({ at }: { readonly at: string }) => (
  <nav class="tabs" aria-label="Activity and requests">
    {TABS.map(({ href, text }) => (
      <a key={href} href={href} aria-current={href === at ? 'page' : undefined}>
        {text}
      </a>
    ))}
  </nav>
);
