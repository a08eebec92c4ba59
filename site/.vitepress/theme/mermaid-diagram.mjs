import { useData } from 'vitepress';
import { defineComponent, h, onMounted, ref, watch } from 'vue';

let drawn = 0;

/** A diagram, drawn for light or dark. Until then, and without a script, its text. */
export const MermaidDiagram = defineComponent({
  props: { code: { type: String, required: true } },
  setup(props) {
    const { isDark } = useData();
    const code = decodeURIComponent(props.code);
    const picture = ref('');
    const draw = async () => {
      // Large, and only some pages have a diagram.
      const { default: mermaid } = await import('mermaid');
      mermaid.initialize({
        startOnLoad: false,
        securityLevel: 'strict',
        fontFamily: 'inherit',
        theme: isDark.value ? 'dark' : 'default',
      });
      drawn += 1;
      picture.value = (await mermaid.render(`diagram-${drawn}`, code)).svg;
    };
    onMounted(draw);
    watch(isDark, draw);
    return () =>
      picture.value ? h('div', { class: 'diagram', innerHTML: picture.value }) : h('pre', { class: 'diagram' }, code);
  },
});
