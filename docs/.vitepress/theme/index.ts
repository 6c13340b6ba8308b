import theme from "vitepress/theme";
import "./tables.css";

export default theme;
