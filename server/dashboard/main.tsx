import { render } from 'preact';
import { App } from './shell/app';
import './styles/index.css';
import { applyTheme } from './time/settings';

applyTheme();
render(<App />, document.getElementById('app')!);
