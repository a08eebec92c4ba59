import { useResource } from '../api/resource';
import type { Overview } from '../api/types';
import { useIsLive } from '../live/live';
import { Choice } from '../parts/field';
import { setServerTime } from '../time/clock';
import { OWN_ZONE } from '../time/format';
import { changeSettings, type Settings, useSettings } from '../time/settings';

const PAGES: [page: string, title: string][] = [
  ['', 'Overview'],
  ['schedules', 'Schedules'],
  ['letters', 'Dead letters'],
  ['alerts', 'Alerts'],
  ['ahead', 'Ahead'],
];

export function Side({ path }: { path: string[] }) {
  const { data } = useResource<Overview>('v1/overview');
  setServerTime(data?.now);
  const open: Record<string, [count: number, of: string] | undefined> = {
    letters: [data?.letters.open ?? 0, 'open'],
    alerts: [data?.openAlerts.notAcknowledged ?? 0, 'not acknowledged'],
  };
  return (
    <header class="side">
      <a class="brand" href="#/">
        <img src="icon.svg" alt="" />
        Escapement
      </a>
      <nav aria-label="Pages">
        <ul class="nav">
          {PAGES.map(([page, title]) => {
            const [count, of] = open[page] ?? [0, ''];
            return (
              <li key={page}>
                <a href={`#/${page}`} aria-current={(path[0] ?? '') === page ? 'page' : undefined}>
                  {title}
                  {count > 0 ? (
                    <span class="number">
                      {count.toLocaleString('en')}
                      <span class="visually-hidden"> {of}</span>
                    </span>
                  ) : null}
                </a>
              </li>
            );
          })}
        </ul>
      </nav>
      <Preferences />
    </header>
  );
}

function Preferences() {
  const settings = useSettings();
  const isLive = useIsLive();
  const zones = [...new Set([OWN_ZONE, 'UTC', settings.zone])];
  return (
    <div class="settings">
      <Choice
        label="Times"
        value={settings.times}
        options={[
          ['relative', 'Relative'],
          ['exact', 'Exact'],
        ]}
        onChange={(times: Settings['times']) => changeSettings({ times })}
      />
      <Choice
        label="Zone"
        value={settings.zone}
        options={zones.map((zone) => [zone, zone])}
        onChange={(zone: string) => changeSettings({ zone })}
      />
      <Choice
        label="Colours"
        value={settings.theme}
        options={[
          ['system', 'As the system'],
          ['light', 'Light'],
          ['dark', 'Dark'],
        ]}
        onChange={(theme: Settings['theme']) => changeSettings({ theme })}
      />
      <p class="quiet" role="status">
        {isLive ? 'Live' : 'Read every few seconds'}
      </p>
    </div>
  );
}
