import { show } from '../shell.tsx';
import { Entrance } from '../entrance.tsx';

show(<Entrance isNew={false} />);
