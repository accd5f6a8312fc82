import { show } from '../parts/shell.tsx';

const NotFound = () => (
  <>
    <div class="head">
      <div>
        <h1>Page not found</h1>
        <p>
          There is no page at <span class="mono">{location.pathname}</span>. The link may be old, or the
          address misspelt.
        </p>
      </div>
    </div>
    <ul class="plain row">
      <li>
        <a class="button primary" href=".">
          Start page
        </a>
      </li>
      <li>
        <a class="button" href="guides">
          Guides
        </a>
      </li>
      <li>
        <a class="button" href="docs">
          API docs
        </a>
      </li>
      <li>
        <a class="button" href="status">
          Status
        </a>
      </li>
    </ul>
  </>
);

show(<NotFound />);
