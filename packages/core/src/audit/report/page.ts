// One page that needs nothing else: no scripts, no other files.
import { type Html, type HtmlPart, html } from "./html.ts";
import { pageStyle, reportStyle } from "./style.ts";

/** The text of an HTML file. */
export function reportPage(title: string, body: HtmlPart): string {
  const style: Html = { html: `<style>${reportStyle}${pageStyle}</style>` };
  return `${
    html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${title}</title>
${style}
</head>
<body>
${body}
</body>
</html>`.html
  }\n`;
}
